"""Tables whose columns have types: pandas' frames, scikit-learn's bunches, Parquet files."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np

from holdfast.data.dataset import Dataset
from holdfast.data.tables.sheet import Block, Cells, Sheet
from holdfast.data.tables.table_dataset import Missing, build_dataset
from holdfast.data.user_files import require_bounded
from holdfast.errors import InvalidInput

Frame = Any
"""A pandas DataFrame. pandas is optional, so its types are not imported."""
Bunch = Mapping[str, Any]
"""What scikit-learn's `load_...` and `fetch_...` return."""
BLOCK = 65536
"""Rows that are read at a time."""


def is_frame(given: object) -> bool:
    """Return whether an object is a pandas DataFrame; pandas need not be installed."""
    return hasattr(given, "columns") and hasattr(given, "iloc")


def is_bunch(given: object) -> bool:
    """Return whether an object is a bunch of scikit-learn's."""
    return isinstance(given, Mapping) and "data" in given and "target" in given


def read_frame(frame: Frame, name: str = "the frame") -> Sheet:
    """Return a pandas DataFrame as a table; its rows count from 1."""

    def blocks() -> Iterator[Block]:
        for start in range(0, len(frame), BLOCK):
            part = frame.iloc[start : start + BLOCK]
            columns = [_read_series(part.iloc[:, at]) for at in range(part.shape[1])]
            yield Block(range(start + 1, start + 1 + len(part)), columns)

    return Sheet(name, tuple(map(str, frame.columns)), blocks)


def _read_series(column: Any) -> Cells:
    if column.dtype.kind in "biuf":
        return Cells.of_numbers(column.to_numpy(np.float64, na_value=np.nan))
    return Cells.read(["" if gone else str(value).strip() for value, gone in zip(column, column.isna(), strict=True)])


def from_frame(
    frame: Frame,
    name: str = "frame",
    test: Frame | None = None,
    target: str | None = None,
    missing: Missing = "refuse",
    ignore: str | Sequence[str] = (),
    text: str | Sequence[str] = (),
    **others: Any,
) -> Dataset:
    """Return the data set in a pandas DataFrame; the options are those of a `Table`."""
    if others:
        names = ", ".join(others)
        raise InvalidInput(f"options of a frame are target, test, missing, ignore and text; got {names}")
    if missing not in get_args(Missing):
        raise InvalidInput(f"missing must be {' or '.join(get_args(Missing))}; got {missing!r}")
    tested = None if test is None else read_frame(test, "the test frame")
    columns = ((each,) if isinstance(each, str) else each for each in (ignore, text))
    return build_dataset(read_frame(frame, name), tested, target, missing, *columns)


def from_bunch(bunch: Bunch, name: str = "bunch") -> Dataset:
    """Return the data set in a bunch of scikit-learn's."""
    targets, samples = _read_targets(bunch), len(bunch["data"])
    if len(targets.numbers) != samples:
        raise InvalidInput(f"a bunch must have one target per sample; got {len(targets.numbers)} of {samples} samples")
    sheet = read_frame(bunch["data"], name) if is_frame(bunch["data"]) else _read_array(bunch, name)
    target = "target" if "target" not in sheet.columns else "the target"

    def blocks() -> Iterator[Block]:
        for block in sheet.blocks():
            rows = slice(block.rows[0] - 1, block.rows[-1])
            yield Block(block.rows, [*block.columns, targets[rows]])

    return build_dataset(Sheet(name, (*sheet.columns, target), blocks), target=target)


def _read_targets(bunch: Bunch) -> Cells:
    """Return the targets of a bunch, by the names of their classes where the bunch has them."""
    targets, names = np.asarray(bunch["target"]), [str(each) for each in _list_names(bunch, "target_names")]
    if targets.ndim != 1:
        raise InvalidInput(f"a bunch must have one target per sample; got an array of shape {targets.shape}")
    if targets.dtype.kind not in "biuf":
        return Cells.read(["" if each is None else str(each) for each in targets.tolist()])
    if targets.dtype.kind in "iu" and len(targets) and targets.min() >= 0 and targets.max() < len(names) > 1:
        return Cells.read([names[each] for each in targets.tolist()])
    return Cells.of_numbers(targets.astype(np.float64))


def _read_array(bunch: Bunch, name: str) -> Sheet:
    features = np.asarray(bunch["data"], np.float64)
    if features.ndim != 2:
        raise InvalidInput(f"a bunch must have samples of a row each; got an array of shape {features.shape}")
    columns = tuple(map(str, _list_names(bunch, "feature_names")))
    if len(columns) != features.shape[1]:
        columns = tuple(f"column {n}" for n in range(1, features.shape[1] + 1))
    block = Block(range(1, len(features) + 1), [Cells.of_numbers(column) for column in features.T])
    return Sheet(name, columns, lambda: iter([block] if len(features) else []))


def _list_names(bunch: Bunch, key: str) -> Sequence[Any]:
    names: Sequence[Any] | None = bunch.get(key)
    return () if names is None else names


def read_parquet(path: Path) -> Sheet:
    """Return the table in a Parquet file."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidInput(f"a Parquet file needs pyarrow: pip install pyarrow; got {path} and no pyarrow") from None
    try:
        about = parquet.ParquetFile(path)
    except arrow.ArrowException as error:
        raise InvalidInput(f"{path} must be a Parquet file; got {str(error).splitlines()[0]}") from None
    require_bounded(path, about.metadata.num_rows * about.metadata.num_columns * 8)

    def blocks() -> Iterator[Block]:
        start = 1
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(BLOCK):
                yield Block(range(start, start + len(batch)), [_read_arrow(arrow, column) for column in batch.columns])
                start += len(batch)

    return Sheet(str(path), tuple(about.schema_arrow.names), blocks)


def _read_arrow(arrow: Any, column: Any) -> Cells:
    kind = column.type
    if arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_boolean(kind):
        numbers = column.cast(arrow.float64(), safe=False).to_numpy(zero_copy_only=False)
        return Cells.of_numbers(np.asarray(numbers, np.float64))
    return Cells.read(["" if value is None else str(value) for value in column.to_pylist()])
