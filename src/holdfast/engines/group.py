"""Workers that share a process, a row each."""

from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.engines.acceleration import step_of
from holdfast.engines.places import split
from holdfast.typing import Oracle, Rows, Vector, Worker, Workers

Sums = NDArray[np.float64]


@runtime_checkable
class Divisible(Protocol):
    """An oracle that can serve some of its workers alone."""

    def only(self, workers: Workers) -> Oracle: ...


class Crew:
    """Some workers, and their answers to the master's model.

    Those who are `idle` keep no state and answer with what pulls nowhere.
    """

    def __init__(
        self, worker: Worker[Any], oracle: Oracle, model: Vector, workers: Workers, idle: Workers | None = None
    ) -> None:
        self.worker, self.workers = worker, workers
        self.working = workers
        """The numbers of those who do what they are asked."""
        if idle is not None and len(idle):
            self.working = np.setdiff1d(workers, idle)
            oracle = cast(Divisible, oracle).only(self.working)
        self.state = worker.init(np.tile(model, (len(self.working), 1)))
        """The states of those who work, a row each."""
        self._oracle, self._step = oracle, step_of(worker, oracle)
        self._places = split(np.isin(workers, self.working))

    def answer(self, model: Vector, round: int, asked: Workers) -> Rows:
        """Play a round with those who are asked; the others keep their state. The messages are good until the next."""
        if len(self.working) == len(self.workers):
            return self._work(model, round, asked)
        everyone = len(asked) == len(self.workers)
        working, idle = self._places if everyone else split(np.isin(asked, self.working, assume_unique=True))
        rows = np.empty((len(asked), len(model)), model.dtype)
        rows[idle] = self.worker.neutral(model)
        if len(asked[working]):
            rows[working] = self._work(model, round, asked[working])
        return rows

    def _work(self, model: Vector, round: int, asked: Workers) -> Rows:
        with np.errstate(over="ignore", invalid="ignore"):  # whoever trains looks for models that are not finite
            if len(asked) == len(self.working):
                rows, self.state = self._step(self.state, model, round)
                return rows
            at = np.searchsorted(self.working, asked)
            step = step_of(self.worker, cast(Divisible, self._oracle).only(asked))
            rows, moved = step(_taken(self.state, at), model, round)
        self.state = _put(self.state, at, moved)
        return rows

    def iterates(self, model: Vector, workers: Workers) -> Rows:
        """Return the models that these workers, none of them idle, hold while the master holds `model`."""
        models = self.worker.iterates(self.state, model)
        if models.ndim == 1:  # one for all
            return np.broadcast_to(models, (len(workers), len(models)))
        return models[np.searchsorted(self.working, workers)]

    def total(self, model: Vector, workers: Workers, so_far: Sums | None = None) -> Sums | None:
        """Return the sum of these workers' models, added one after another to what is so far."""
        for row in self.iterates(model, workers):
            so_far = row.astype(np.float64) if so_far is None else so_far + row
        return so_far

    def squares(self, model: Vector, workers: Workers, point: Vector) -> Sums:
        """Return the squared distances of these workers' models to a point."""
        away = self.iterates(model, workers).astype(np.float64) - point
        squares: Sums = np.sum(away * away, axis=-1)
        return squares


def _taken(state: Any, at: Workers) -> Any:
    return type(state)(*(array[at] for array in state))


def _put(state: Any, at: Workers, moved: Any) -> Any:
    """Return the state with these rows replaced; the old one stays as it was."""
    arrays = [array.copy() for array in state]
    for array, rows in zip(arrays, moved, strict=True):
        array[at] = rows
    return type(state)(*arrays)
