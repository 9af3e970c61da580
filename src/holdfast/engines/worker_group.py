"""Workers that share a process, one row per worker, and which of them a round asks."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import cast

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.problems import Divisible
from holdfast.states import map_state
from holdfast.streams import Stream
from holdfast.typing import Array, Oracle, Request, Rows, State, Vector, Worker, Workers

Sums = NDArray[np.float64]
Where = slice | NDArray[np.int64]
"""Places of some workers in an array of rows."""


class WorkerGroup:
    """Some workers, their states, and their answers to the master's model.

    Workers that are `idle` keep no state and answer with the neutral message.
    """

    def __init__(
        self, worker: Worker[State], oracle: Oracle, model: Vector, workers: Workers, idle: Workers | None = None
    ) -> None:
        self.worker, self.workers = worker, workers
        self.computing = workers
        """The numbers of the workers that are not idle."""
        if idle is not None and len(idle):
            self.computing = np.setdiff1d(workers, idle)
            if len(self.computing):  # else the oracle is not used
                oracle = cast(Divisible, oracle).only(self.computing)
        self._oracle, self._start = oracle, model
        self.state: State = self.init_state()
        """The states of the workers that compute, one row per worker."""
        self._places = split(np.isin(workers, self.computing))

    def init_state(self) -> State:
        """Return the states before the first round."""
        return self.worker.init(np.tile(self._start, (len(self.computing), 1)))

    def answer(self, request: Request) -> Rows:
        """Play a round with the workers asked; the others keep their state. Valid until the next round."""
        if len(self.computing) == len(self.workers):
            return self._step(request)
        model, asked = request.model, request.workers
        complete = len(asked) == len(self.workers)
        computing, idle = self._places if complete else split(np.isin(asked, self.computing, assume_unique=True))
        rows = np.empty((len(asked), len(model)), model.dtype)
        rows[idle] = self.worker.neutral(model)
        if len(asked[computing]):
            rows[computing] = self._step(request._replace(workers=asked[computing]))
        return rows

    def _step(self, request: Request) -> Rows:
        with np.errstate(over="ignore", invalid="ignore"):  # the caller checks for overflow
            if len(request.workers) == len(self.computing):
                rows, self.state = self.worker.step(self.state, request, self._oracle)
                return rows
            at = np.searchsorted(self.computing, request.workers)
            oracle = cast(Divisible, self._oracle).only(request.workers)
            before = map_state(lambda array: array[at], self.state)
            rows, after = self.worker.step(before, request, oracle)
        self.state = map_state(lambda array, some: _with_rows(array, at, some), self.state, after)
        return rows

    def iterates(self, model: Vector, workers: Workers) -> Rows:
        """Return these workers' models while the master holds `model`; none of the workers is idle."""
        models = self.worker.iterates(self.state, model)
        if models.ndim == 1:  # one model for all
            return np.broadcast_to(models, (len(workers), len(models)))
        return models[np.searchsorted(self.computing, workers)]

    def total(self, model: Vector, workers: Workers, so_far: Sums | None = None) -> Sums | None:
        """Return `so_far` plus these workers' models, added one after another."""
        for row in self.iterates(model, workers):
            so_far = row.astype(np.float64) if so_far is None else so_far + row
        return so_far

    def squares(self, model: Vector, workers: Workers, point: Vector) -> Sums:
        """Return the squared distances of these workers' models to a point."""
        away = self.iterates(model, workers).astype(np.float64) - point
        squares: Sums = np.sum(away * away, axis=-1)
        return squares


def _with_rows(array: Array, at: Workers, rows: Array) -> Array:
    """Return a copy of the array with these rows replaced."""
    changed = array.copy()
    changed[at] = rows
    return changed


@dataclass(frozen=True)
class Participation:
    """A random share of the m workers per round: ceil(share * m) >= 1 of them, drawn anew each round.

    Each worker's draw depends on seed and round only; the smallest draws are asked. So every engine asks the same.

    >>> Participation(np.arange(1, 11), share=0.3, seed=1).select_workers(round=0)
    array([ 6,  7, 10])
    """

    workers: Workers
    share: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InvalidInput(f"participation must be above 0 and at most 1; got {self.share}")

    @cached_property
    def size(self) -> int:
        """The number of workers that a round asks."""
        # rounded first: 0.1 * 30 is 3.0000000000000004
        return max(1, ceil(round(self.share * len(self.workers), 9)))

    def select_workers(self, round: int) -> Workers:
        """Return the numbers of the workers that a round asks, in order."""
        if self.size == len(self.workers):
            return self.workers
        draws = Stream(self.seed, "participation").words(self.workers, round, 1)[:, 0]
        return self.workers[np.sort(np.argpartition(draws, self.size - 1)[: self.size])]


def split(mask: NDArray[np.bool_]) -> tuple[Where, Where]:
    """Return where the mask is set and where not; neighbours as a slice, which copies nothing."""
    return _find(mask), _find(~mask)


def _find(mask: NDArray[np.bool_]) -> Where:
    (at,) = np.nonzero(mask)
    if len(at) and at[-1] - at[0] + 1 == len(at):
        return slice(int(at[0]), int(at[-1]) + 1)
    return at
