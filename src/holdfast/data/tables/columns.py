"""What the columns of a table are: numbers, or texts of a few kinds."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdfast.data.tables.sheet import Cells, Sheet, missing_among, parsed, written
from holdfast.errors import InvalidInput

MOST_CATEGORIES = 100
"""Different texts in a column: one with more names its rows rather than a kind of them."""


@dataclass
class Seen:
    """What has been seen of a column on the way through its table."""

    name: str
    numbers: int = 0
    words: int = 0
    missing: int = 0
    first_word: tuple[int, str] | None = None
    """Its row, and the cell."""
    texts: Counter[str] = field(default_factory=Counter)
    """How often each text occurs, up to a little more than MOST_CATEGORIES of them."""

    def add(self, rows: Any, cells: Cells, most: int) -> None:
        """Take some more cells into account; of texts, so many different ones are told apart."""
        found = parsed(cells)
        absent = missing_among(cells)
        self.words += int(found.words.sum())
        self.missing += int(absent.sum())
        self.numbers += len(cells) - int(found.words.sum()) - int(absent.sum())
        if self.first_word is None and found.words.any():
            at = int(found.words.argmax())
            self.first_word = rows[at], str(cells[at])
        if len(self.texts) <= most:
            present = np.flatnonzero(~absent)
            self.texts.update(_text(cells[at]) for at in present.tolist())


def _text(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, float) else cell


def survey(sheet: Sheet, most: Iterable[int]) -> tuple[list[Seen], int]:
    """Go through a table once; return what its columns hold, and how many rows there are.

    `most` says of each column how many different texts are told apart.
    """
    seen, count = [Seen(name) for name in sheet.columns], 0
    limits = list(most)
    for block in sheet.blocks():
        count += len(block.rows)
        for column, cells, limit in zip(seen, block.columns, limits, strict=True):
            column.add(block.rows, cells, limit)
    return seen, count


def is_text(sheet: Sheet, seen: Seen, as_text: Collection[str]) -> bool:
    """Return whether a column holds texts; refuse one that holds nothing, or texts among numbers."""
    if not seen.numbers and not seen.words:
        raise InvalidInput(
            f"{sheet.name} must have values in every column; got none in column {seen.name!r} "
            f"(FILE:ignore={seen.name} leaves it out)"
        )
    if seen.name in as_text or seen.words > seen.numbers:
        return True
    if seen.first_word is not None:
        row, cell = seen.first_word
        hint = "FILE:header=true takes row 1 as names, " if row == 1 and not sheet.named else ""
        raise InvalidInput(
            f"{sheet.name} must have numbers in column {seen.name!r}, as in most of its rows; got {written(cell)} in "
            f"row {row} ({hint}FILE:text={seen.name} takes all of the column as text, ignore={seen.name} leaves it out)"
        )
    return False


def categories(sheet: Sheet, seen: Seen) -> tuple[str, ...]:
    """Return the different texts of a column, sorted, if they are few."""
    if len(seen.texts) > MOST_CATEGORIES:
        raise InvalidInput(
            f"{sheet.name} must have at most {MOST_CATEGORIES} different texts in a column; got more in column "
            f"{seen.name!r}, such as {written(next(iter(seen.texts)))} (FILE:ignore={seen.name} leaves it out)"
        )
    return tuple(sorted(seen.texts))
