"""Workers that share a process, a row each."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.fleets.acceleration import step_of
from holdfast.typing import Oracle, Rows, Vector, Worker, Workers

Sums = NDArray[np.float64]


@runtime_checkable
class Divisible(Protocol):
    """An oracle that can serve some of its workers alone."""

    def only(self, workers: Workers) -> Oracle: ...


class Crew:
    """Some workers, and their answers to the master's model.

    Those who are `idle` keep no state and answer with what pulls nowhere. An oracle that only serves all at once
    lets nobody be.
    """

    def __init__(
        self, worker: Worker[Any], oracle: Oracle, model: Vector, workers: Workers, idle: Workers | None = None
    ) -> None:
        self.worker, self.workers = worker, workers
        self.working = workers
        """The numbers of those who do what they are asked."""
        if idle is not None and len(idle) and isinstance(oracle, Divisible):
            self.working = np.setdiff1d(workers, idle)
            oracle = oracle.only(self.working)
        self.state = worker.init(np.tile(model, (len(self.working), 1)))
        """The states of those who work, a row each."""
        self._oracle, self._step = oracle, step_of(worker, oracle)

    def answer(self, model: Vector, round: int, asked: Workers) -> Rows:
        """Play a round with those who are asked; the others keep their state. The messages are good until the next."""
        everyone = len(asked) == len(self.workers)
        working = self.working if everyone else np.intersect1d(asked, self.working, assume_unique=True)
        if len(working) == len(asked):
            return self._work(model, round, working)
        rows = np.tile(self.worker.neutral(model), (len(asked), 1))
        if len(working):
            rows[np.searchsorted(asked, working)] = self._work(model, round, working)
        return rows

    def _work(self, model: Vector, round: int, asked: Workers) -> Rows:
        with np.errstate(over="ignore", invalid="ignore"):  # whoever trains looks for models that are not finite
            if len(asked) == len(self.working):
                rows, self.state = self._step(self.state, model, round)
                return rows
            assert isinstance(self._oracle, Divisible)  # an engine that asks some of the workers needs it
            at = np.searchsorted(self.working, asked)
            step = step_of(self.worker, self._oracle.only(asked))
            rows, moved = step(_taken(self.state, at), model, round)
        self.state = _put(self.state, at, moved)
        return rows

    def iterates(self, model: Vector, workers: Workers) -> Rows:
        """Return the models that these workers, none of them idle, hold while the master holds `model`."""
        models = self.worker.iterates(self.state, model)
        everyone = np.broadcast_to(models, (len(self.working), len(model)))
        return everyone[np.searchsorted(self.working, workers)]

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
