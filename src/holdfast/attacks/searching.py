"""What a message would do to the master, and the message on a line that does most.

    damage(V) = |A(x_1, ..., x_h, v_1, ..., v_f) - A(mu, ..., mu)|

with A the master's rule as it is in this round, x_i the honest messages and mu their mean. A rule that agrees with
messages that are all alike has A(mu, ..., mu) = mu. The penalty sum of RSA is the pull of workers who all stand at mu.

A rule that sees lengths and angles only can be asked in coordinates of the space that the honest messages and the line
span: h + 2 numbers a message in place of d. With C the cosines of what spans it, C = U diag(s) U', these are the rows
of U diag(s)^(1/2) times their lengths: so rounding is small beside each row, and a row of no length stays one.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import inf, isnan
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from holdfast import kernels
from holdfast.attacks.base import ColludingAttack, FullView, alike, honest_mean
from holdfast.kernels.room import room
from holdfast.typing import Rows, Vector

Search = Literal["none", "line"]
"""Whether a constant is as given, or what does most harm in this round."""
Damage = Callable[[Rows], float]
Line = Callable[[float], Vector]
"""What is sent for each value of a constant; straight."""
STRIDES = (1, -1, 2, -2, 3, 4)
"""The powers of 4 by which a constant is first multiplied."""
MANY = 1000
"""So many coordinates of a message for each one of the space that is searched make it worth while to change to them."""


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
        if self.searches and (damage := damage_along(line, view)):
            constant, _ = strongest(damage, constant, self.evaluations)
        return alike(line(constant), view)


def damage_of(view: FullView) -> Damage | None:
    """Return what measures the damage of messages, one row for each Byzantine worker or one for all, if known."""
    aggregate = view.aggregate
    if aggregate is None:
        return None
    messages, honest = np.concatenate([view.honest, view.own]), len(view.honest)
    mean = honest_mean(view).astype(messages.dtype)
    target = np.asarray(aggregate(np.tile(mean, (len(messages), 1))), np.float64)
    off = np.empty_like(target)

    def damage(sent: Rows) -> float:
        messages[honest:] = sent
        harm = float(np.linalg.norm(np.subtract(aggregate(messages), target, out=off)))
        return inf if isnan(harm) else harm  # a model that is not a number is lost

    return damage


def damage_along(line: Line, view: FullView, damage: Damage | None = None) -> Callable[[float], float] | None:
    """Return what measures the damage of each constant, in few coordinates where it can, else by `damage`, if known."""
    if (few := in_few(line, view)) is not None:
        (line, view), damage = few, None
    measured = damage or damage_of(view)
    return None if measured is None else lambda constant: measured(line(constant))


def in_few(line: Line, view: FullView) -> tuple[Line, FullView] | None:
    """Return line and round by coordinates in the space that they span, where the rule allows it and it pays."""
    honest, d = view.honest.shape
    if view.turned is None or d < MANY * (honest + 2):
        return None
    spanning = room((honest + 2, d), np.float64)  # the mean lies in the span of the others: float32 would move it out
    np.subtract(view.honest, view.neutral, out=spanning[:honest])
    start = line(0.0)
    spanning[honest], spanning[honest + 1] = start - view.neutral, line(1.0) - start
    products = kernels.inner_products(spanning, np.zeros_like(spanning[0]))
    if not np.isfinite(products).all():  # an honest message that is none, or too long for its square
        return None
    lengths = np.sqrt(products.diagonal())[:, np.newaxis]
    scale = np.where(lengths > 0, lengths, 1.0)
    squares, axes = np.linalg.eigh(products / scale / scale.T)
    coordinates = lengths * axes * np.sqrt(np.maximum(squares, 0.0))  # what is below 0 is rounding
    own = np.zeros((len(view.workers), honest + 2))
    few = replace(view, honest=coordinates[:honest], own=own, neutral=own[0], aggregate=view.turned, turned=None)
    return lambda constant: coordinates[honest] + constant * coordinates[honest + 1], few


def strongest(damage: Callable[[float], float], start: float, evaluations: int) -> tuple[float, float]:
    """Return the constant that does most damage, of those tried, and its damage; the first of equals.

    Tried are `start`, then 4 to the power of 1, -1, 2, -2, 3, 4 times it, each with either sign, then ever closer
    neighbours of the best one, half of the last distance in logarithm apart, until `evaluations` are spent. So the
    result does no less than `start`, whatever the rule. A start of 0 stands for 1 in all but the first.
    """
    harms: dict[float, float] = {}

    def best() -> float:
        return max(harms, key=harms.__getitem__)

    for factor in islice(_tried(start, best), evaluations):
        harms[factor] = damage(factor)
    return best(), harms[best()]


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
