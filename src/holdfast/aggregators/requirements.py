"""What rules and stages say of themselves, and requirements on their options, with one error shape."""

from dataclasses import dataclass
from math import comb, inf
from operator import index
from typing import ClassVar

from holdfast.errors import InvalidInput


class Part:
    """A rule or a stage: what both say of themselves."""

    declared_option: ClassVar[str] = "byzantine"
    """The option that a run fills with the declared number of Byzantine workers, if it has one of this name."""
    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""
    needs: ClassVar[tuple[int, int]] = (2, 1)
    """(a, b) such that what it claims under q lies holds from n = a q + b rows on."""
    rotation_equivariant: ClassVar[bool] = False
    """Whether it sees lengths and angles only, `A(V Q) == A(V) Q` for orthogonal Q, and has no memory."""


def require_whole(part: object, name: str, least: int = 0, *, optional: bool = False) -> None:
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


@dataclass(frozen=True)
class Declared(Part):
    """A rule or stage that must know how many rows may lie: `byzantine=None` leaves that to the run."""

    byzantine: int | None = None

    def __post_init__(self) -> None:
        require_whole(self, "byzantine", optional=True)


def require_positive(part: object, name: str) -> None:
    """Make the option `name` of a frozen rule or stage a finite float above 0, or refuse it."""
    value = getattr(part, name)
    try:
        number = None if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not 0 < number < inf:
        raise InvalidInput(f"{type(part).__name__} needs a finite number {name} > 0; got {name}={value!r}")
    object.__setattr__(part, name, number)


def require_declared(part: Part) -> int:
    """Return how many Byzantine rows are declared to a rule or stage; the number is required.

    >>> from holdfast.aggregators import TrimmedMean
    >>> require_declared(TrimmedMean(trim=2))
    2
    """
    number: int | None = getattr(part, part.declared_option)
    if number is None:
        raise InvalidInput(
            f"{type(part).__name__} needs {part.declared_option}, the number of rows that may lie; got none"
        )
    return number


def require_majority(part: Part, n: int) -> int:
    """Return how many of n rows are declared Byzantine to a rule or stage: less than half of them."""
    number = require_declared(part)
    if n <= 2 * number:
        raise InvalidInput(
            f"{type(part).__name__} needs n > 2 * {part.declared_option}; got n={n}, {part.declared_option}={number}"
        )
    return number


def require_few_subsets(part: Part, n: int, left_out: int, most: int) -> None:
    """Refuse a search through more subsets than `most`: it might never end."""
    if (number := comb(n, left_out)) > most:
        raise InvalidInput(
            f"{type(part).__name__} needs at most {most:,} subsets of n - {part.declared_option} rows to search; "
            f"got {float(number):.3g} with n={n}, {part.declared_option}={left_out}"
        )
