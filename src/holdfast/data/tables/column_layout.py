"""How the columns of a table become features: a number as it is, a text as one 0 or 1 for each of its kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.data.tables.sheet import Block, Cells, Sheet, quote
from holdfast.errors import InvalidInput
from holdfast.typing import Json

Features = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """One column of features."""

    name: str
    categories: tuple[str, ...] | None = None
    """The kinds of a text column; None for numbers."""
    fill: float | str | None = None
    """Replaces a missing value; without it, no value may be missing."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of its features."""
        return (self.name,) if self.categories is None else tuple(f"{self.name}={each}" for each in self.categories)


class Encoded(NamedTuple):
    """A table as numbers."""

    features: Features
    """NaN for a missing number, where missing values are kept."""
    targets: NDArray[np.float64] | None
    """Numbers, or places among the labels."""
    dropped: int
    """Rows left out for a missing value."""
    strange: int
    """Cells with a text that training never had: all of their features are 0."""


@dataclass(frozen=True)
class Layout:
    """The columns that become features, in order, and the target column."""

    columns: tuple[Column, ...]
    target: str
    labels: tuple[str, ...] | None = None
    """The classes of a target of texts, in the order of their numbers."""

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all features."""
        return tuple(name for column in self.columns for name in column.features)

    def to_json(self) -> Json:
        return asdict(self)

    @staticmethod
    def of_json(values: Json) -> "Layout":
        columns = tuple(Column(each["name"], _freeze(each["categories"]), each["fill"]) for each in values["columns"])
        return Layout(columns, values["target"], _freeze(values["labels"]))

    def encode(self, sheet: Sheet, *, targets: bool, missing: str = "refuse") -> Encoded:
        """Return a table's features, and its targets if `targets`.

        Missing values: `refuse` them (unless the column has a `fill`), `drop` the row, or `keep` numbers as NaN.
        """
        places = self._locate(sheet)
        if targets and self.target not in places:
            raise InvalidInput(f"{sheet.name} must have the target column {self.target!r}; got {_list_names(sheet)}")
        blocks = [_encode(self, sheet, block, places, targets, missing) for block in sheet.blocks()]
        if not blocks:
            raise InvalidInput(f"{sheet.name} must hold at least one row of data; got none")
        return Encoded(
            np.concatenate([each.features for each in blocks]),
            np.concatenate([each.targets for each in blocks if each.targets is not None]) if targets else None,
            sum(each.dropped for each in blocks),
            sum(each.strange for each in blocks),
        )

    def _locate(self, sheet: Sheet) -> dict[str, int]:
        """Return the place of each column in the table: by name, or in order where the table has no names."""
        names = [column.name for column in self.columns]
        places = {name: place for place, name in enumerate(sheet.columns)}
        absent = next((name for name in names if name not in places), None)
        if sheet.named and absent is not None:
            raise InvalidInput(f"{sheet.name} must have the column {absent!r}; got {_list_names(sheet)}")
        if sheet.named or (absent is None and self.target in places):  # else both tables number their columns
            return places
        if len(sheet.columns) == len(names):
            return {name: place for place, name in enumerate(names)}
        raise InvalidInput(
            f"{sheet.name} must have the {len(names)} columns of features in order, or names in its first row; "
            f"got {len(sheet.columns)} columns without names"
        )


def _freeze(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _encode(
    layout: Layout, sheet: Sheet, block: Block, places: Mapping[str, int], targets: bool, missing: str
) -> Encoded:
    dropped, strange = np.zeros(len(block.rows), bool), 0
    parts: list[Features] = []
    for column in layout.columns:
        cells = block.columns[places[column.name]]
        if column.fill is None:
            if missing == "refuse":
                _require_present(sheet, block, column.name, cells, "FILE:missing=mean or missing=median fills such "
                                 "cells, missing=drop leaves out their rows")  # fmt: skip
            dropped |= cells.missing
        if column.categories is None:
            numbers = _read_numbers(sheet, block, column.name, cells)
            if column.fill is not None:
                numbers = np.where(cells.missing, column.fill, numbers)
            parts.append(numbers[:, np.newaxis])
        else:
            kinds = cells.places(column.categories, column.fill)
            strange += int(((kinds < 0) & ~cells.missing).sum())
            parts.append((kinds[:, np.newaxis] == np.arange(len(column.categories))).astype(np.float64))
    learned = None
    if targets:
        cells = block.columns[places[layout.target]]
        learned = _read_targets(layout, sheet, block, cells, missing)
        dropped |= cells.missing
    kept = ~dropped if missing == "drop" else np.ones(len(block.rows), bool)
    features = np.concatenate(parts, axis=1) if parts else np.empty((len(kept), 0))
    return Encoded(features[kept], None if learned is None else learned[kept], int((~kept).sum()), strange)


def _read_targets(layout: Layout, sheet: Sheet, block: Block, cells: Cells, missing: str) -> NDArray[np.float64]:
    if missing != "drop":
        hint = "FILE:missing=drop leaves out such rows; a target is never filled"
        _require_present(sheet, block, layout.target, cells, hint)
    if layout.labels is None:
        return _read_numbers(sheet, block, layout.target, cells)
    return cells.places(layout.labels).astype(np.float64)


def _read_numbers(sheet: Sheet, block: Block, name: str, cells: Cells) -> NDArray[np.float64]:
    wrong = cells.words | np.isinf(cells.numbers)
    if wrong.any():
        at = int(wrong.argmax())
        raise InvalidInput(
            f"{sheet.name} must have finite numbers in column {name!r}; "
            f"got {quote(cells.texts[at])} in row {block.rows[at]}"
        )
    return cells.numbers


def _require_present(sheet: Sheet, block: Block, name: str, cells: Cells, hint: str) -> None:
    if cells.missing.any():
        row = block.rows[int(cells.missing.argmax())]
        raise InvalidInput(
            f"{sheet.name} must have a value in every cell; got none in row {row}, column {name!r} ({hint})"
        )


def _list_names(sheet: Sheet, most: int = 12) -> str:
    names = sheet.columns
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
