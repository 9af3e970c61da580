"""How the columns of a table become features: numbers as they are, a text as one 0 or 1 for each of its kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.data.tables.sheet import Block, Cells, Sheet, missing_among, parsed, written
from holdfast.errors import InvalidInput

Features = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """One column of features."""

    name: str
    categories: tuple[str, ...] | None = None
    """The kinds of a text column; None for numbers."""
    fill: float | str | None = None
    """What stands for a missing value; without it, none may be missing."""

    @property
    def features(self) -> tuple[str, ...]:
        """What its features are called."""
        return (self.name,) if self.categories is None else tuple(f"{self.name}={each}" for each in self.categories)


class Encoded(NamedTuple):
    """A table as numbers."""

    features: Features
    """NaN where a number is missing that may be."""
    targets: NDArray[np.float64] | None
    """Numbers, or places among the labels."""
    dropped: int
    """Rows left out for a missing value."""
    strange: int
    """Cells whose text was never seen in training: all of their features are 0."""


@dataclass(frozen=True)
class Layout:
    """The columns that become features, in order, and the one that is learned."""

    columns: tuple[Column, ...]
    target: str
    labels: tuple[str, ...] | None = None
    """The classes of a target of texts, in the order of their numbers."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all features."""
        return tuple(name for column in self.columns for name in column.features)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_json(values: Mapping[str, Any]) -> "Layout":
        columns = tuple(Column(each["name"], _tuple(each["categories"]), each["fill"]) for each in values["columns"])
        return Layout(columns, values["target"], _tuple(values["labels"]))

    def encode(self, sheet: Sheet, *, targets: bool, missing: str = "refuse") -> Encoded:
        """Return a table's features, and its targets where they are asked for.

        What to do with missing values: `refuse` (unless the column says what stands for them), `drop` the row, or
        `keep` numbers as NaN.
        """
        places = _places(sheet, [column.name for column in self.columns], self.target)
        if targets and places[self.target] is None:
            raise InvalidInput(f"{sheet.name} must have the target column {self.target!r}; got {_listed(sheet)}")
        blocks = [_encoded(self, sheet, block, places, targets, missing) for block in sheet.blocks()]
        if not blocks:
            raise InvalidInput(f"{sheet.name} must hold at least one row of data; got none")
        found = [np.concatenate([each.targets for each in blocks if each.targets is not None])] if targets else [None]
        features = np.concatenate([each.features for each in blocks])
        return Encoded(features, found[0], sum(each.dropped for each in blocks), sum(each.strange for each in blocks))


def _tuple(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _places(sheet: Sheet, names: Sequence[str], target: str) -> dict[str, int | None]:
    """Return at which place of the table each column stands: by name, or in order where there are no names."""
    if sheet.named:
        at: dict[str, int | None] = {name: place for place, name in enumerate(sheet.columns)}
        for name in names:
            if name not in at:
                raise InvalidInput(f"{sheet.name} must have the column {name!r}; got {_listed(sheet)}")
        return {name: at.get(name) for name in (*names, target)}
    return _in_order(sheet, names, target)


def _in_order(sheet: Sheet, names: Sequence[str], target: str) -> dict[str, int | None]:
    known = {name: place for place, name in enumerate(sheet.columns)}
    if all(name in known for name in (*names, target)):  # both tables have numbers instead of names
        return {name: known[name] for name in (*names, target)}
    if len(sheet.columns) == len(names):
        return {name: place for place, name in enumerate(names)} | {target: None}
    raise InvalidInput(
        f"{sheet.name} must have the {len(names)} columns of features in order, or names in its first row; "
        f"got {len(sheet.columns)} columns without names"
    )


def _encoded(
    layout: Layout, sheet: Sheet, block: Block, places: Mapping[str, int | None], targets: bool, missing: str
) -> Encoded:
    count = len(block.rows)
    absent, strange = np.zeros(count, bool), 0
    parts: list[Features] = []
    for column in layout.columns:
        place = places[column.name]
        assert place is not None  # every column of features was found
        cells = block.columns[place]
        gone = missing_among(cells)
        if gone.any() and column.fill is None:
            if missing == "refuse":
                raise _missing(sheet, block, column.name, gone)
            absent |= gone
        if column.categories is None:
            parts.append(_numbers(sheet, block, column.name, cells, column.fill)[:, np.newaxis])
        else:
            codes = _codes(cells, column.categories, column.fill)
            strange += int(((codes < 0) & ~gone).sum())
            parts.append((codes[:, np.newaxis] == np.arange(len(column.categories))).astype(np.float64))
    learned = _targets(layout, sheet, block, places[layout.target], missing) if targets else None
    if missing == "drop" and learned is not None:
        absent |= np.isnan(learned)
    kept = ~absent if missing == "drop" else np.ones(count, bool)
    features = np.concatenate(parts, axis=1) if parts else np.empty((count, 0))
    return Encoded(features[kept], None if learned is None else learned[kept], int((~kept).sum()), strange)


def _targets(layout: Layout, sheet: Sheet, block: Block, place: int | None, missing: str) -> NDArray[np.float64]:
    assert place is not None  # it was found
    cells = block.columns[place]
    gone = missing_among(cells)
    if gone.any() and missing != "drop":
        raise _missing(
            sheet, block, layout.target, gone, "FILE:missing=drop leaves out such rows; a target is never filled"
        )
    if layout.labels is None:
        return _numbers(sheet, block, layout.target, cells, None)
    codes = _codes(cells, layout.labels, None).astype(np.float64)
    codes[gone] = np.nan
    return codes


def _numbers(sheet: Sheet, block: Block, name: str, cells: Cells, fill: Any) -> NDArray[np.float64]:
    found = parsed(cells)
    wrong = found.words | np.isinf(found.numbers)
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidInput(
            f"{sheet.name} must have finite numbers in column {name!r}; "
            f"got {written(cells[at])} in row {block.rows[at]}"
        )
    return found.numbers if fill is None else np.where(np.isnan(found.numbers), fill, found.numbers)


def _codes(cells: Cells, categories: Sequence[str], fill: Any) -> NDArray[np.int64]:
    """Return the place of each cell among the categories; -1 for what is none of them."""
    known = {category: code for code, category in enumerate(categories)}
    texts = [f"{cell:g}" for cell in cells] if isinstance(cells, np.ndarray) else cells
    gone = missing_among(cells)
    filled = known.get(fill, -1)
    return np.array(
        [filled if absent else known.get(text, -1) for text, absent in zip(texts, gone, strict=True)], np.int64
    )


def _missing(
    sheet: Sheet,
    block: Block,
    name: str,
    gone: NDArray[np.bool_],
    hint: str = "FILE:missing=mean or missing=median fills such cells, missing=drop leaves out their rows",
) -> InvalidInput:
    at = int(gone.argmax())
    return InvalidInput(
        f"{sheet.name} must have a value in every cell; got none in row {block.rows[at]}, column {name!r} ({hint})"
    )


def _listed(sheet: Sheet, most: int = 12) -> str:
    names = sheet.columns
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
