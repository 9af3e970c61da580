"""Workers that share a process, a row each."""

from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.fleets.acceleration import step_of
from holdfast.typing import Oracle, Rows, Vector, Worker, Workers

Sums = NDArray[np.float64]


class Divisible(Protocol):
    """An oracle that can serve some of its workers alone."""

    def only(self, workers: Workers) -> Oracle: ...


class Crew:
    """The states of some workers, and their answers to the master's model."""

    def __init__(self, worker: Worker[Any], oracle: Oracle, model: Vector, workers: Workers) -> None:
        self.worker, self.workers = worker, workers
        self.state = worker.init(np.tile(model, (len(workers), 1)))
        self._oracle, self._step = oracle, step_of(worker, oracle)

    def answer(self, model: Vector, round: int, asked: Workers) -> Rows:
        """Play a round with those who are asked; the others keep their state. The messages are good until the next."""
        with np.errstate(over="ignore", invalid="ignore"):  # whoever trains looks for models that are not finite
            if len(asked) == len(self.workers):
                rows, self.state = self._step(self.state, model, round)
                return rows
            at = np.searchsorted(self.workers, asked)
            step = step_of(self.worker, cast(Divisible, self._oracle).only(asked))
            rows, moved = step(_taken(self.state, at), model, round)
        self.state = _put(self.state, at, moved)
        return rows

    def iterates(self, model: Vector, workers: Workers) -> Rows:
        """Return the models that these workers hold while the master holds `model`."""
        models = self.worker.iterates(self.state, model)
        everyone = np.broadcast_to(models, (len(self.workers), len(model)))
        return everyone[np.searchsorted(self.workers, workers)]

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
