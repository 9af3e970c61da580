"""A table before its columns are interpreted: their names, and blocks of rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "<na>"})
"""Cells without a value, in lower case."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Some cells of one column.

    >>> cells = Cells.read(["1.5", "", "tall"])
    >>> cells.numbers, cells.missing, cells.words
    (array([1.5, nan, nan]), array([False,  True, False]), array([False, False,  True]))
    """

    numbers: NDArray[np.float64]
    """NaN where a cell is missing or no number."""
    missing: NDArray[np.bool_]
    written: Sequence[str] | None = None
    """The texts of a file; None for a column of numbers."""

    @staticmethod
    def read(texts: Sequence[str]) -> "Cells":
        """Return the cells in a column of texts."""
        numbers = parse_numbers(texts)
        missing = np.isnan(numbers)
        missing[missing] = [texts[at].strip().lower() in MISSING for at in np.flatnonzero(missing).tolist()]
        return Cells(numbers, missing, texts)

    @staticmethod
    def of_numbers(numbers: NDArray[np.float64]) -> "Cells":
        """Return the cells of a column of numbers: NaN is a missing one."""
        return Cells(numbers, np.isnan(numbers))

    def __getitem__(self, rows: slice) -> "Cells":
        return Cells(self.numbers[rows], self.missing[rows], None if self.written is None else self.written[rows])

    @property
    def texts(self) -> Sequence[str]:
        return [f"{number:g}" for number in self.numbers.tolist()] if self.written is None else self.written

    @property
    def words(self) -> NDArray[np.bool_]:
        """Which cells are neither a number nor missing."""
        return np.isnan(self.numbers) & ~self.missing

    def places(self, categories: Sequence[str], fill: float | str | None = None) -> NDArray[np.int64]:
        """Return the place of each text among the categories, of `fill` where a cell is missing; -1 for any other."""
        known: dict[float | str | None, int] = {category: place for place, category in enumerate(categories)}
        found = np.array([known.get(text, -1) for text in self.texts], np.int64)
        found[self.missing] = known.get(fill, -1)
        return found


class Block(NamedTuple):
    """Some rows of a table."""

    rows: Sequence[int]
    """Their numbers, as an editor shows them: from 1, the names included."""
    columns: Sequence[Cells]


@dataclass(frozen=True)
class Sheet:
    """A table that can be read more than once, a block of rows at a time."""

    name: str
    columns: tuple[str, ...]
    blocks: Callable[[], Iterator[Block]]
    named: bool = True
    """Whether the columns have names, by which another table's columns can be matched."""
    notes: tuple[str, ...] = ()
    """Guesses of the reader."""
    index: bool = False
    """Whether the first column only numbers the rows."""


def parse_number(text: str) -> float:
    """Return the number in a text, NaN if there is none.

    >>> parse_number("1e3"), parse_number("1_000")
    (1000.0, nan)
    """
    try:
        return nan if "_" in text else float(text)  # underscores are Python's own
    except ValueError:
        return nan


def parse_numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return the numbers in some texts, NaN where there is none."""
    try:
        if "_" not in "".join(texts):
            return np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        pass
    known = {text: parse_number(text) for text in set(texts)}  # words repeat, and each one costs an exception
    return np.array([known[text] for text in texts], np.float64)


def quote(text: str) -> str:
    """Return a cell as errors show it."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
