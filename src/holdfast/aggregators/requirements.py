"""What the options of rules and stages must be, said in one way."""

from math import comb, inf
from operator import index
from typing import Any

from holdfast.errors import InvalidInput


def require_whole(part: Any, name: str, least: int = 0, *, optional: bool = False) -> None:
    """Make the option `name` of a frozen rule or stage an int of at least `least`, or refuse it.

    NumPy's integers become plain ones; neither 1.5, 1.0 nor True is a whole number. None stays if `optional`.
    """
    value = getattr(part, name)
    if value is None and optional:
        return
    try:
        whole = None if isinstance(value, bool) else index(value)
    except TypeError:
        whole = None
    if whole is None or whole < least:
        raise InvalidInput(f"{type(part).__name__} needs a whole number {name} >= {least}; got {name}={value!r}")
    object.__setattr__(part, name, whole)


def require_positive(part: Any, name: str) -> None:
    """Make the option `name` of a frozen rule or stage a finite float above 0, or refuse it."""
    value = getattr(part, name)
    try:
        number = None if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not 0 < number < inf:
        raise InvalidInput(f"{type(part).__name__} needs a finite number {name} > 0; got {name}={value!r}")
    object.__setattr__(part, name, number)


def declared(part: Any) -> int:
    """Return how many rows a rule or stage is told may lie, or say that nobody told it.

    >>> from holdfast.aggregators import TrimmedMean
    >>> declared(TrimmedMean(trim=2))
    2
    """
    number: int | None = getattr(part, part.told)
    if number is None:
        raise InvalidInput(f"{type(part).__name__} needs {part.told}, the number of rows that may lie; got none")
    return number


def require_majority(part: Any, n: int) -> int:
    """Return how many of n rows may lie, as a rule or stage is told, or say that they are not less than half."""
    number = declared(part)
    if n <= 2 * number:
        raise InvalidInput(f"{type(part).__name__} needs n > 2 * {part.told}; got n={n}, {part.told}={number}")
    return number


def require_few_subsets(part: Any, n: int, left_out: int, most: int) -> None:
    """Refuse a search through more subsets than `most`: it might never end."""
    if (number := comb(n, left_out)) > most:
        raise InvalidInput(
            f"{type(part).__name__} needs at most {most:,} subsets of n - {part.told} rows to search; "
            f"got {float(number):.3g} with n={n}, {part.told}={left_out}"
        )
