"""A table as it lies in a file or in memory: names of columns, and cells that nobody has interpreted yet."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Cells = list[str] | NDArray[np.float64]
"""Some cells of one column: texts as a file has them, or numbers with NaN where there is none."""
MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "<na>"})
"""What stands in a cell for want of a value, whatever its case."""


class Block(NamedTuple):
    """Some rows of a table."""

    rows: Sequence[int]
    """Their numbers, as an editor shows them: from 1, the names included."""
    columns: Sequence[Cells]


@dataclass(frozen=True)
class Sheet:
    """A table that can be gone through more than once, a block of rows at a time."""

    name: str
    columns: tuple[str, ...]
    blocks: Callable[[], Iterator[Block]]
    named: bool = True
    """Whether the columns have names of their own, by which another table's can be matched."""
    notes: tuple[str, ...] = ()
    """What was guessed when it was opened."""
    index: bool = False
    """Whether the first column only numbers the rows."""


class Parsed(NamedTuple):
    """Cells of a column as far as they are numbers."""

    numbers: NDArray[np.float64]
    """NaN where a cell is no number, or missing."""
    words: NDArray[np.bool_]
    """Which cells are neither a number nor missing."""


def parsed(cells: Cells) -> Parsed:
    """Return the numbers in some cells.

    >>> parsed(["1.5", "", "tall"])
    Parsed(numbers=array([1.5, nan, nan]), words=array([False, False,  True]))
    """
    if isinstance(cells, np.ndarray):
        return Parsed(cells, np.zeros(len(cells), bool))
    try:
        if "_" not in "".join(cells):  # which Python allows in numbers, and nobody else
            return Parsed(np.array([float(cell) for cell in cells]), np.zeros(len(cells), bool))
    except ValueError:
        pass
    numbers = np.array([_number(cell) for cell in cells], np.float64)
    return Parsed(numbers, np.isnan(numbers) & ~missing_among(cells))


def missing_among(cells: Cells) -> NDArray[np.bool_]:
    """Return which cells have no value."""
    if isinstance(cells, np.ndarray):
        return np.isnan(cells)
    return np.fromiter((cell.strip().lower() in MISSING for cell in cells), bool, len(cells))


def is_number(cell: str) -> bool:
    """Return whether a cell is a number."""
    return not np.isnan(_number(cell))


def written(cell: object) -> str:
    """Return a cell as an error shows it."""
    text = f"{cell:g}" if isinstance(cell, float) else str(cell)
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _number(cell: str) -> float:
    try:
        return float("nan" if "_" in cell else cell)
    except ValueError:
        return float("nan")
