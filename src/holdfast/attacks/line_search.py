"""Attacks whose message lies on a line, and the search for the point that does most damage."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import copysign
from typing import Annotated, Literal

from msgspec import Meta

from holdfast.attacks.damage import Line, damage_along
from holdfast.attacks.threats import ColludingAttack, FullView, broadcast
from holdfast.typing import Rows

Search = Literal["none", "line", "upward"]
"""Whether the constant is as given, or found by a search in this round: on either side of 0, or as ByzFL searches."""
STRIDES = (1, -1, 2, -2, 3, 4)
"""The powers of 4 by which a constant is first multiplied."""
FIRST, GROWTH, SHRINKAGE = 10.0, 2.0, 0.8
"""The first step of a search upward, and what the next one is multiplied by."""


@dataclass(frozen=True, kw_only=True)
class LineAttack(ColludingAttack):
    """An attack whose message lies on a line: as far along as its constant says, or where it does most harm.

    With `search=line` the constant is the best of `evaluations` tries in this round, as far as the rule can be asked;
    with `search=upward` of tries between 0 and infinity, on the side where the constant as given is.
    """

    search: Search = "none"
    evaluations: Annotated[int, Meta(ge=1)] = 24

    @property
    def searches(self) -> bool:
        return self.search != "none"

    @abstractmethod
    def line(self, view: FullView) -> tuple[Line, float]:
        """Return the message for each value of the constant, and its value as given."""

    def __call__(self, view: FullView, /) -> Rows:
        line, constant = self.line(view)
        if self.searches and (damage := damage_along(line, view)):
            look = search_line if self.search == "line" else search_upward
            constant, _ = look(damage, constant, self.evaluations)
        return broadcast(line(constant), view)


def search_line(damage: Callable[[float], float], start: float, evaluations: int) -> tuple[float, float]:
    """Return the constant that does most damage, of those tried, and its damage; the first of equals.

    Tried are `start`, then 4 to the power of 1, -1, 2, -2, 3, 4 times it, each with either sign, then ever closer
    neighbours of the best one, half of the last distance in logarithm apart, until `evaluations` are spent. So the
    result does no less than `start`, whatever the rule. A start of 0 stands for 1, except in the first try.
    """
    harms: dict[float, float] = {}

    def best() -> float:
        return max(harms, key=harms.__getitem__)

    for factor in islice(_trials(start, best), evaluations):
        harms[factor] = damage(factor)
    return best(), harms[best()]


def search_upward(damage: Callable[[float], float], start: float, evaluations: int) -> tuple[float, float]:
    """Return the constant that does most damage, of those tried, and its damage: as ByzFL's searched attacks look.

    Tried is 0, then 10 further on from the best one, twice as far each time while that does more damage, then 0.8
    times as far each time, always on the side of `start`. What lies before the best one is never tried.
    """
    step, growing = copysign(FIRST, start), True
    best, most = 0.0, damage(0.0)
    for _ in range(evaluations - 1):
        harm = damage(best + step)
        if better := harm > most:
            best, most = best + step, harm
        growing = growing and better
        step *= GROWTH if growing else SHRINKAGE
    return best, most


def _trials(start: float, best: Callable[[], float]) -> Iterator[float]:
    unit = start or 1.0
    yield start
    yield -unit
    if not start:
        yield unit
    for stride in STRIDES:
        yield from (unit * 4.0**stride, -unit * 4.0**stride)
    step = 2.0
    while True:
        centre = best() or unit
        yield from (centre * step, centre / step)
        step **= 0.5
