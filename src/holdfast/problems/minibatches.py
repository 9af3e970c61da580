"""Minibatch gradients of linear problems: drawn anew every round, on all samples, or by SAGA."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Rows, Vector, Workers

if TYPE_CHECKING:
    from holdfast.problems.linear_problem import LinearProblem


@dataclass(frozen=True)
class Minibatches:
    """The oracle of some workers: minibatch gradients of their losses, drawn anew every round."""

    problem: "LinearProblem"
    workers: Workers

    @cached_property
    def _key(self) -> int:
        return Stream(self.problem.seed, "batch").key

    @cached_property
    def _dealt(self) -> kernels.Dealt:
        problem, shards = self.problem, self.problem.shards
        return kernels.Dealt(problem.loss, shards.features, shards.targets, shards.starts, shards.scale, problem.weight)

    def _draw(self, round: int) -> kernels.Draw:
        return kernels.Draw(self._key, round, self.problem.batch)

    def only(self, workers: Workers) -> "Minibatches":
        """Return the oracle of some of them."""
        return Minibatches(self.problem, self.problem.require_workers(workers) if len(workers) else workers)

    def __call__(self, models: Rows, round: int, /) -> Rows:
        """Return the gradients at these models, one row per worker, or at the one model that all share."""
        return self._round(models, round, None)

    def l1_step(self, models: Rows, master: Vector, rate: float, penalty: float, round: int) -> Rows:
        """Return `models - rate * (gradients + penalty * sign(models - master))` in one pass."""
        return self._round(models, round, (master, rate, penalty))

    def full(self, models: Rows, where: NDArray[np.bool_]) -> Rows:
        """Return the gradients on all samples of those workers where `where` holds, one row each."""
        models = np.broadcast_to(models, (len(self.workers), self.problem.dimension))
        if not where.any():
            return models[where]
        return kernels.full_round(self._dealt, self.workers[where], models[where])

    def refreshes(self, round: int) -> NDArray[np.bool_]:
        """Return whose turn it is to look at all samples: at random, on average once in a pass over them."""
        sizes = np.diff(self.problem.shards.starts)[self.workers - 1]
        stream = Stream(self.problem.seed, "refresh")
        return stream.integers(self.workers, round, sizes, 1)[:, 0] < self.problem.batch

    def saga(self, models: Rows, round: int, tables: Rows, averages: Rows) -> tuple[Rows, Rows, Rows]:
        """Return SAGA's estimates of the gradients, and the workers' tables and averages after the draw."""
        return kernels.saga_round(self._dealt, self._draw(round), self.workers, models, tables, averages)

    def _round(self, models: Rows, round: int, step: tuple[Vector, float, float] | None) -> Rows:
        problem = self.problem
        if models.shape[-1] != problem.dimension or models.shape[:-1] not in ((), (1,), self.workers.shape):
            expected = f"({len(self.workers)}, {problem.dimension}) or ({problem.dimension},)"
            raise InvalidInput(f"models must have shape {expected}; got {models.shape}")
        if step is not None and (step[0].shape != models.shape[-1:] or step[0].dtype != models.dtype):
            raise InvalidInput(f"the master's model must be like the workers'; got {step[0].shape} of {step[0].dtype}")
        return kernels.worker_round(self._dealt, self._draw(round), self.workers, models, step)
