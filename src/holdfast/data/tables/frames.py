"""Tables that are already in memory: pandas' frames, and scikit-learn's bunches."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data.dataset import Dataset
from holdfast.data.tables.building import built
from holdfast.data.tables.sheet import Block, Cells, Sheet
from holdfast.errors import InvalidInput

BLOCK = 65536


def is_frame(given: Any) -> bool:
    """Return whether an object is a pandas DataFrame; pandas need not be installed."""
    return hasattr(given, "columns") and hasattr(given, "iloc")


def is_bunch(given: Any) -> bool:
    """Return whether an object is what scikit-learn's `load_...` and `fetch_...` return."""
    return isinstance(given, Mapping) and "data" in given and "target" in given


def frame_sheet(frame: Any, name: str = "the frame") -> Sheet:
    """Return a pandas DataFrame as a table; its rows count from 1."""

    def blocks() -> Iterator[Block]:
        for first in range(0, len(frame), BLOCK):
            part = frame.iloc[first : first + BLOCK]
            yield Block(
                range(first + 1, first + 1 + len(part)), [_cells(part.iloc[:, at]) for at in range(part.shape[1])]
            )

    return Sheet(name, tuple(map(str, frame.columns)), blocks)


def _cells(column: Any) -> Cells:
    if column.dtype.kind in "biuf":
        return np.asarray(column, np.float64)
    return ["" if missing else str(value).strip() for value, missing in zip(column, column.isna(), strict=True)]


def from_frame(frame: Any, name: str = "frame", test: Any = None, **options: Any) -> Dataset:
    """Return the data set in a pandas DataFrame; the options are those of a `Table`."""
    for key in ("ignore", "text"):
        if isinstance(options.get(key), str):
            options[key] = (options[key],)
    try:
        return built(frame_sheet(frame, name), None if test is None else frame_sheet(test, "the test frame"), **options)
    except TypeError as error:
        raise InvalidInput(f"options of a frame are target, test, missing, ignore and text; got {error}") from None


def from_bunch(bunch: Mapping[str, Any], name: str = "bunch") -> Dataset:
    """Return the data set in a bunch of scikit-learn's."""
    features, targets = bunch["data"], _bunch_targets(bunch)
    if is_frame(features):
        sheet = frame_sheet(features, name)
    else:
        sheet = _array_sheet(np.asarray(features, np.float64), _named(bunch, "feature_names"), name)
    learned = "target" if "target" not in sheet.columns else "the target"

    def blocks() -> Iterator[Block]:
        for block in sheet.blocks():
            yield Block(block.rows, [*block.columns, targets[block.rows[0] - 1 : block.rows[-1]]])

    return built(Sheet(name, (*sheet.columns, learned), blocks), target=learned)


def _bunch_targets(bunch: Mapping[str, Any]) -> Cells:
    """Return the targets of a bunch, by the names of their classes where it has them."""
    targets, names = np.asarray(bunch["target"]), [str(each) for each in _named(bunch, "target_names")]
    if targets.ndim != 1:
        raise InvalidInput(f"a bunch must have one target per sample; got an array of shape {targets.shape}")
    if targets.dtype.kind not in "biuf":
        return ["" if each is None else str(each) for each in targets.tolist()]
    if targets.dtype.kind in "iu" and len(targets) and targets.min() >= 0 and targets.max() < len(names) > 1:
        return [names[each] for each in targets.tolist()]
    return targets.astype(np.float64)


def _array_sheet(features: NDArray[np.float64], names: Any, name: str) -> Sheet:
    if features.ndim != 2:
        raise InvalidInput(f"a bunch must have samples of a row each; got an array of shape {features.shape}")
    columns = tuple(map(str, names))
    if len(columns) != features.shape[1]:
        columns = tuple(f"column {n}" for n in range(1, features.shape[1] + 1))
    return Sheet(name, columns, lambda: iter([Block(range(1, len(features) + 1), list(features.T))]))


def _named(bunch: Mapping[str, Any], key: str) -> Any:
    names = bunch.get(key)
    return () if names is None else names
