"""How RSA's master adds up what it is pulled by, and how gradient methods estimate the sum of all gradients."""

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels import weigh_bits
from holdfast.methods.penalties import L1, Penalty
from holdfast.onebit import count_sides
from holdfast.typing import Messages, Nothing, Rows, Sides, Tally, Vector, Workers


class _WithoutMemory:
    def init(self, model: Vector) -> Nothing:
        return Nothing()


@dataclass(frozen=True)
class PenaltySum(_WithoutMemory):
    """Read messages as models and sum the penalty's pull of each: sum_i w_i lambda d|x0 - x_i|_p (eq. update2:x:0)."""

    coordinate_wise: ClassVar[bool] = False
    penalty: Penalty

    @property
    def rotation_equivariant(self) -> bool:
        return self.penalty.rotation_equivariant

    def step(self, state: Nothing, messages: Messages) -> tuple[Vector, Nothing]:
        return self.penalty.pull(messages.model, cast(Rows, messages.rows), messages.weights), state


@dataclass(frozen=True)
class VoteSum(_WithoutMemory):
    """Read bits, or their count: sum_i w_i lambda sign(x0 - x_i) (eq. update:x:0), where no worker is tied.

    Weighed, it is to the last bit the sum of models without ties.
    """

    rotation_equivariant: ClassVar[bool] = False
    coordinate_wise: ClassVar[bool] = False
    penalty: L1

    def step(self, state: Nothing, messages: Messages) -> tuple[Vector, Nothing]:
        rows, weights, dtype = cast(Sides | Tally, messages.rows), messages.weights, messages.model.dtype
        if isinstance(rows, Sides) and weights is not None:
            return self.penalty.weight * weigh_bits(rows.bits, weights.astype(dtype), rows.dimension), state
        tally = count_sides(rows) if isinstance(rows, Sides) else rows
        return self.penalty.weight * tally.signs(dtype), state


def weights_of(weights: tuple[float, ...], workers: Workers) -> NDArray[np.float64]:
    """Return the weights of these workers."""
    found: NDArray[np.float64] = np.array(weights)[workers - 1]
    return found


@dataclass(frozen=True)
class Weigh(_WithoutMemory):
    """Let each message count as much as its worker's weight, one per worker number."""

    rotation_equivariant: ClassVar[bool] = True
    weights: tuple[float, ...]

    def step(self, state: Nothing, messages: Messages) -> tuple[Messages, Nothing]:
        return messages._replace(weights=weights_of(self.weights, messages.workers)), state


@dataclass(frozen=True)
class Total(_WithoutMemory):
    """Estimate the sum of n gradients as n times what a rule made of them, or times what their workers weigh.

    Eq. aggsgd leaves the scale of its aggregated gradient to the step size. Ours estimates the sum in
    eq. update:x, so that plain averaging is exactly distributed SGD, the regulariser weighs the same in
    every method, and rates compare across them.
    """

    weights: tuple[float, ...] = ()

    def step(self, state: Nothing, direction: Vector, messages: Messages) -> tuple[Vector, Nothing]:
        n = float(weights_of(self.weights, messages.workers).sum()) if self.weights else len(messages.workers)
        return n * direction, state
