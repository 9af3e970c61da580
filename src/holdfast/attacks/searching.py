"""What a message would do to the master, and the message on a line that does most.

    damage(V) = |A(x_1, ..., x_h, v_1, ..., v_f) - A(mu, ..., mu)|

with A the master's rule as it is in this round, x_i the honest messages and mu their mean. A rule that agrees with
messages that are all alike has A(mu, ..., mu) = mu. The penalty sum of RSA is the pull of workers who all stand at mu.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf, isnan
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from holdfast.attacks.base import ColludingAttack, FullView, alike, honest_mean
from holdfast.typing import Rows, Vector

Search = Literal["none", "line"]
"""Whether a constant is as given, or what does most harm in this round."""
Damage = Callable[[Rows], float]
Line = Callable[[float], Vector]
"""What is sent for each value of a constant."""
STRIDES = (1, -1, 2, -2, 3, 4)
"""The powers of 4 by which a constant is first multiplied."""


@dataclass(frozen=True, kw_only=True)
class LineAttack(ColludingAttack):
    """An attack whose message lies on a line: as far along as its constant says, or where it does most harm.

    With `search=line` the constant is the best of `evaluations` tries in this round, as far as the rule can be asked.
    """

    search: Search = "none"
    evaluations: Annotated[int, Meta(ge=1)] = 24

    @property
    def searches(self) -> bool:
        return self.search == "line"

    @abstractmethod
    def line(self, view: FullView) -> tuple[Line, float]:
        """Return the message for each value of the constant, and its value as given."""

    def __call__(self, view: FullView, /) -> Rows:
        line, constant = self.line(view)
        damage = damage_of(view) if self.searches else None
        sent = line(constant) if damage is None else strongest(damage, line, constant, self.evaluations)[0]
        return alike(sent, view)


def damage_of(view: FullView) -> Damage | None:
    """Return what measures the damage of messages, one row for each Byzantine worker or one for all, if known."""
    aggregate = view.aggregate
    if aggregate is None:
        return None
    messages, honest = np.concatenate([view.honest, view.own]), len(view.honest)
    mean = honest_mean(view).astype(messages.dtype)
    target = np.asarray(aggregate(np.tile(mean, (len(messages), 1))), np.float64)

    def damage(sent: Rows) -> float:
        messages[honest:] = sent
        harm = float(np.linalg.norm(aggregate(messages) - target))
        return inf if isnan(harm) else harm  # a model that is not a number is lost

    return damage


def strongest(damage: Damage, line: Line, start: float, evaluations: int) -> tuple[Vector, float]:
    """Return the point of a line that does most damage, of those tried, and its damage; the first of equals.

    Tried are `start`, then 4 to the power of 1, -1, 2, -2, 3, 4 times it, each with either sign, then ever closer
    neighbours of the best one, half of the last distance in logarithm apart, until `evaluations` are spent. So the
    result does no less than `start`, whatever the rule. A start of 0 stands for 1 in all but the first.
    """
    harms: dict[float, float] = {}

    def best() -> float:
        return max(harms, key=harms.__getitem__)

    for factor in islice(_tried(start, best), evaluations):
        harms[factor] = damage(line(factor))
    return line(best()), harms[best()]


def _tried(start: float, best: Callable[[], float]) -> Iterator[float]:
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
