"""Workers that share a process, one row per worker."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.engines.places import split
from holdfast.problems import Divisible
from holdfast.states import map_state
from holdfast.typing import Oracle, Request, Rows, Vector, Worker, Workers

Sums = NDArray[np.float64]


class WorkerGroup:
    """Some workers, their states, and their answers to the master's model.

    Those that are `idle` keep no state and answer with the neutral message.
    """

    def __init__(
        self, worker: Worker[Any], oracle: Oracle, model: Vector, workers: Workers, idle: Workers | None = None
    ) -> None:
        self.worker, self.workers = worker, workers
        self.computing = workers
        """The numbers of those that are not idle."""
        if idle is not None and len(idle):
            self.computing = np.setdiff1d(workers, idle)
            if len(self.computing):  # else nobody asks the oracle
                oracle = cast(Divisible, oracle).only(self.computing)
        self._oracle, self._start = oracle, model
        self.state: Any = self.first_state()
        """The states of those that compute, one row per worker."""
        self._places = split(np.isin(workers, self.computing))

    def first_state(self) -> Any:
        """Return the states before the first round."""
        return self.worker.init(np.tile(self._start, (len(self.computing), 1)))

    def answer(self, request: Request) -> Rows:
        """Play a round with the workers that are asked; the others keep their state. Valid until the next round."""
        if len(self.computing) == len(self.workers):
            return self._step(request)
        model, asked = request.model, request.workers
        everyone = len(asked) == len(self.workers)
        computing, idle = self._places if everyone else split(np.isin(asked, self.computing, assume_unique=True))
        rows = np.empty((len(asked), len(model)), model.dtype)
        rows[idle] = self.worker.neutral(model)
        if len(asked[computing]):
            rows[computing] = self._step(request._replace(workers=asked[computing]))
        return rows

    def _step(self, request: Request) -> Rows:
        with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for models that are not finite
            if len(request.workers) == len(self.computing):
                rows, self.state = self.worker.step(self.state, request, self._oracle)
                return rows
            at = np.searchsorted(self.computing, request.workers)
            oracle = cast(Divisible, self._oracle).only(request.workers)
            taken = map_state(lambda array: array[at], self.state)
            rows, moved = self.worker.step(taken, request, oracle)
        self.state = map_state(lambda array, some: _with_rows(array, at, some), self.state, moved)
        return rows

    def iterates(self, model: Vector, workers: Workers) -> Rows:
        """Return the models that these workers, none of them idle, hold while the master holds `model`."""
        models = self.worker.iterates(self.state, model)
        if models.ndim == 1:  # one for all
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


def _with_rows(array: NDArray[Any], at: Workers, rows: NDArray[Any]) -> NDArray[Any]:
    """Return a copy of the array with these rows replaced."""
    changed = array.copy()
    changed[at] = rows
    return changed
