"""What a master does with the messages: read a direction from them and descend."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from holdfast.methods.penalties import L1, Penalty
from holdfast.methods.priors import Ridge
from holdfast.typing import Aggregate, Messages, Rows, Schedule, Tally, Vector

Direction = Callable[[Vector, Any], Vector]
"""What a master at `model` makes of the messages: where they want it to come from."""


@dataclass(frozen=True)
class Pull:
    """Read messages as models and sum the penalty's pull of each: sum_i lambda d|x0 - x_i|_p (eq. update2:x:0)."""

    penalty: Penalty

    def __call__(self, model: Vector, rows: Rows) -> Vector:
        return self.penalty.pull(model, rows)


@dataclass(frozen=True)
class Votes:
    """Read a count of bits: sum_i lambda sign(x0 - x_i) (eq. update:x:0), where nobody is tied."""

    penalty: L1

    def __call__(self, model: Vector, tally: Tally) -> Vector:
        return self.penalty.weight * tally.signs(model.dtype)


@dataclass(frozen=True)
class Total:
    """Read messages as gradients and estimate the sum of all n as n times what `rule` makes of them.

    Eq. aggsgd leaves the scale of its aggregated gradient to the step size. Ours estimates the sum in
    eq. update:x, so that plain averaging is exactly distributed SGD, the regulariser weighs the same in
    every method, and rates compare across them.
    """

    rule: Aggregate

    def __call__(self, model: Vector, rows: Rows) -> Vector:
        return len(rows) * self.rule(rows)


class Iterate(NamedTuple):
    """The master's model x0."""

    model: Vector


@dataclass(frozen=True)
class Descent:
    """x0 <- x0 - alpha (grad f0(x0) + direction): eqs. update:x, update2:x:0 and aggsgd."""

    direction: Direction
    rate: Schedule
    prior: Ridge

    def init(self, model: Vector) -> Iterate:
        return Iterate(model)

    def step(self, state: Iterate, messages: Messages, round: int) -> Iterate:
        x = state.model
        # a message may hold anything: overflow shows as an infinite model, which whoever trains looks for
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = self.prior.gradient(x) + self.direction(x, messages)
            return Iterate(x - float(self.rate(round)) * gradient)
