"""What a master does with the messages: read them, aggregate the reading, descend."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from holdfast.penalties import Penalty
from holdfast.priors import Ridge
from holdfast.typing import Aggregate, Rows, Schedule, Vector

Reading = Callable[[Vector, Rows], Rows]


def gradients(model: Vector, rows: Rows) -> Rows:
    """Read messages as gradients: SGD and its robust kin."""
    return rows


def residuals(model: Vector, rows: Rows) -> Rows:
    """Read messages as models, by what separates the master from them: RSA."""
    return model - rows


@dataclass(frozen=True)
class Pull:
    """Sum the penalty's subgradients over residuals: sum_i lambda d|x0 - x_i|_p (eq. update2:x:0)."""

    penalty: Penalty

    def __call__(self, rows: Rows) -> Vector:
        total: Vector = self.penalty.subgradient(rows).sum(axis=0)
        return total


@dataclass(frozen=True)
class Total:
    """Estimate the sum of n gradients as n times what `rule` makes of them.

    Eq. aggsgd leaves the scale of its aggregated gradient to the step size. Ours estimates the sum in
    eq. update:x, so that plain averaging is exactly distributed SGD, the regulariser weighs the same in
    every method, and rates compare across them.
    """

    rule: Aggregate

    def __call__(self, rows: Rows) -> Vector:
        return len(rows) * self.rule(rows)


class Iterate(NamedTuple):
    """The master's model x0."""

    model: Vector


@dataclass(frozen=True)
class Descent:
    """x0 <- x0 - alpha (grad f0(x0) + aggregate(reading)): eqs. update:x, update2:x:0 and aggsgd."""

    reading: Reading
    aggregate: Aggregate
    rate: Schedule
    prior: Ridge

    def init(self, model: Vector) -> Iterate:
        return Iterate(model)

    def step(self, state: Iterate, rows: Rows, round: int) -> Iterate:
        x = state.model
        # a message may hold anything: overflow shows as an infinite model, which whoever trains looks for
        with np.errstate(over="ignore", invalid="ignore"):
            direction = self.prior.gradient(x) + self.aggregate(self.reading(x, rows))
            return Iterate(x - self.rate(round) * direction)
