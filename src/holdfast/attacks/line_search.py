"""The damage that messages do to the master, and attacks that search a line for the message that does most.

    damage(V) = |A(x_1, ..., x_h, v_1, ..., v_f) - A(mu, ..., mu)|

with A the master's rule as it is in this round, x_i the honest messages and mu their mean. A rule that agrees with
messages that are all alike has A(mu, ..., mu) = mu. The penalty sum of RSA is the pull of workers that all stand at mu.

A rule that sees lengths and angles only can be asked in coordinates of the space that the honest messages and the line
span: h + 2 numbers a message in place of d. With C the cosines of what spans it, C = U diag(s) U', these are the rows
of U diag(s)^(1/2) times their lengths: so rounding is small beside each row, and a row of no length stays one.

A rule that looks at one coordinate at a time, behind stages that see lengths and angles only, is asked in the same
numbers and in some coordinates beside them, evenly spaced. These are scaled down so far that lengths and angles do not
change; what the stages do to a message, they do to its coordinates too. Damage is then that of these
coordinates, times the square root of how many times as many there are.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import copysign, inf, isnan, sqrt
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from holdfast import kernels
from holdfast.attacks.threats import ColludingAttack, FullView, Sketch, broadcast, honest_mean
from holdfast.typing import Rows, Vector

Damage = Callable[[Rows], float]
Line = Callable[[float], Vector]
"""What is sent for each value of a constant; straight."""
MANY = 1000
"""Change coordinates if a message has as many for each one of the space that is searched."""
COLUMNS = 20_000
"""The least number of coordinates shown to a rule that looks at one at a time, if messages have twice as many."""
UNNOTICED = 2.0**-30
"""The factor of coordinates that are carried along: their squares vanish by rounding beside the others."""


def damage_of(view: FullView) -> Damage | None:
    """Return the damage as a function of the Byzantine messages, or of one message for all; None without a rule."""
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
    """Return the damage as a function of the constant, in few coordinates if possible; None if the rule is unknown."""
    if (few := reduce_dimensions(line, view)) is not None:
        (line, view), damage = few, None
    measured = damage or damage_of(view)
    return None if measured is None else lambda constant: measured(line(constant))


def reduce_dimensions(line: Line, view: FullView) -> tuple[Line, FullView] | None:
    """Return line and round in coordinates of the space that they span, if the rule allows it and it is faster."""
    honest, d = view.honest.shape
    stride, sketch = d // COLUMNS, view.sketch
    if sketch is None or d < MANY * (honest + 2) or (sketch.by_columns and stride <= 1):
        return None
    # the mean lies in the span of the others: float32 would move it out
    spanning = np.empty((honest + 2, d), np.float64)
    np.subtract(view.honest, view.neutral, out=spanning[:honest])
    start = line(0.0)
    spanning[honest], spanning[honest + 1] = start - view.neutral, line(1.0) - start
    coordinates = _coordinates(spanning)
    if coordinates is None:
        return None
    factor = 1.0
    if sketch.by_columns:
        columns = spanning[:, ::stride]
        factor = sqrt(d / columns.shape[1]) / UNNOTICED
        coordinates = np.concatenate([coordinates, UNNOTICED * columns], axis=1)
    own = np.zeros((len(view.workers), coordinates.shape[1]))
    aggregate = partial(_ask, sketch, honest + 2, factor)
    few = replace(view, honest=coordinates[:honest], own=own, neutral=own[0], aggregate=aggregate, sketch=None)
    return lambda constant: coordinates[honest] + constant * coordinates[honest + 1], few


def _coordinates(spanning: Rows) -> Rows | None:
    """Return rows with the lengths and angles of these, as many numbers each as there are rows; None if not finite."""
    products = kernels.inner_products(spanning, np.zeros_like(spanning[0]))
    if not np.isfinite(products).all():  # an honest message that is none, or too long for its square
        return None
    lengths = np.sqrt(products.diagonal())[:, np.newaxis]
    scale = np.where(lengths > 0, lengths, 1.0)
    squares, axes = np.linalg.eigh(products / scale / scale.T)
    coordinates: Rows = lengths * axes * np.sqrt(np.maximum(squares, 0.0))  # what is below 0 is rounding
    return coordinates


def _ask(sketch: Sketch, inner: int, factor: float, messages: Rows) -> Vector:
    """Return what the master makes of messages in few coordinates, as large as if all were shown."""
    return sketch.ask(messages, inner) * factor


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
