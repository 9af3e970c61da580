"""RSA that also judges: bounded influence, and less of it for copies and for those who stand against the rest."""

from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.kernels import weigh_bits
from holdfast.methods.base import Reading, Setting
from holdfast.methods.masters import Descent, of
from holdfast.methods.penalties import L1, Penalty
from holdfast.methods.rsa import Rsa
from holdfast.onebit import Coin, TakeSides
from holdfast.typing import Master, Received, Rows, Sides, Vector, Workers
from holdfast.watching import Judge, Opinion


class Watching:
    """A direction that remembers an opinion of the workers."""

    @property
    def turns(self) -> bool:
        return False  # sides are those of coordinates

    def init(self, model: Vector) -> Opinion:
        return Opinion.none()


def counted(opinion: Opinion, weights: tuple[float, ...], workers: Workers) -> NDArray[np.float64]:
    """Return what these workers count for now; with `weights`, one per worker number, times the worker's own."""
    judged = opinion.weights[workers - 1]
    return judged * of(weights, workers) if weights else judged


@dataclass(frozen=True)
class WatchedSum(Watching):
    """Sum the penalty's pull of each message, times what its worker counts for: sum_i w_i lambda d|x0 - x_i|_p."""

    penalty: Penalty
    judge: Judge
    weights: tuple[float, ...] = ()

    def __call__(self, model: Vector, received: Received, memory: Opinion) -> tuple[Vector, Opinion]:
        rows, workers = cast(Rows, received.rows), received.workers
        memory = self.judge(memory, rows, model, workers, received.round)
        return self.penalty.pull(model, rows, counted(memory, self.weights, workers)), memory


@dataclass(frozen=True)
class WatchedBits(Watching):
    """The same of single workers' bits: sum_i w_i lambda (2 b_ij - 1), to the last bit that of models without ties."""

    penalty: L1
    judge: Judge
    weights: tuple[float, ...] = ()

    def __call__(self, model: Vector, received: Received, memory: Opinion) -> tuple[Vector, Opinion]:
        sides, workers = cast(Sides, received.rows), received.workers
        memory = self.judge(memory, sides, model, workers, received.round)
        weights = counted(memory, self.weights, workers).astype(model.dtype)
        return self.penalty.weight * weigh_bits(sides.bits, weights, sides.dimension), memory


@dataclass(frozen=True)
class WatchfulRsa(Rsa):
    """RSA whose master watches on what share of the coordinates workers take different sides (docs/watchful.md).

    Workers whose sides are nearly the same, on all but `near` times the usual share, count for two at most together.
    A minority is left out while each of it differs from those who stay at least `ratio` times as much as any of those
    who stay does, and on an eighth of the coordinates more. All that is judged anew `every` so many rounds, from full
    models and from bits alike.
    """

    every: Annotated[int, Meta(ge=1)] = Judge.every
    near: Annotated[float, Meta(ge=0, lt=1)] = Judge.near
    ratio: Annotated[float, Meta(gt=1)] = Judge.ratio

    def master(self, setting: Setting) -> Master[Any]:
        pull, first = self._pull, 1 if self.resolved().ties == "coin" else 0
        judge = Judge(self.every, near=self.near, ratio=self.ratio, first=first)
        if self.messages == "bits":
            assert isinstance(pull, L1)  # bits need norm 1
            return Descent(WatchedBits(pull, judge, setting.weights), setting.rate, setting.prior)
        return Descent(WatchedSum(pull, judge, setting.weights), setting.rate, setting.prior)

    def reading(self, seed: int) -> Reading:
        if self.messages == "bits":  # who sent which bits is needed, not only their count
            return TakeSides(Coin(seed))
        return super().reading(seed)
