"""All workers in one process, a row each."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import FullView
from holdfast.errors import InvalidInput
from holdfast.fleets.acceleration import step_of
from holdfast.typing import Oracle, Rows, Vector, Worker, Workers


class Simulated:
    """Workers that share a process; those in `liars` send what `attack` says.

    A Byzantine worker keeps the state that it would have if it were regular, since some attacks start
    from its true message.
    """

    def __init__(
        self,
        worker: Worker[Any],
        oracle: Oracle,
        model: Vector,
        workers: Workers,
        *,
        liars: Iterable[int] = (),
        attack: Callable[[FullView], Rows] | None = None,
        seed: int = 0,
    ) -> None:
        self.worker = worker
        self.workers = workers
        self.state = worker.init(np.tile(model, (len(workers), 1)))
        self._step = step_of(worker, oracle)
        self._attack = attack
        self._seed = seed
        self._messages: Rows | None = None
        lying = list(liars)
        self._lies = np.isin(workers, lying)
        strangers = np.setdiff1d(lying, workers)
        if strangers.size:
            raise InvalidInput(f"liars must be among the workers; got {strangers[0]}")
        self._liars_at, self._regular_at = _where(self._lies), _where(~self._lies)
        self.regular: Workers = workers[~self._lies]
        """The numbers of the workers that tell the truth."""
        if attack is None and self._lies.any():
            raise InvalidInput("liars need an attack; got attack=None")
        if self._lies.all():
            raise InvalidInput(f"at least one worker must be regular; got {self._lies.sum()} liars among them all")

    def iterates(self, model: Vector) -> Rows:
        """Return the models that regular workers hold while the master holds `model`."""
        models = self.worker.iterates(self.state, model)
        return np.broadcast_to(models, (len(self.workers), len(model)))[~self._lies]

    def exchange(self, model: Vector, round: int) -> Rows:
        """Play a round. The messages are good until the next one."""
        with np.errstate(over="ignore", invalid="ignore"):  # whoever trains looks for models that are not finite
            rows, self.state = self._step(self.state, model, round)
        if self._attack is None or not self._lies.any():
            return rows
        view = FullView(
            own=rows[self._liars_at],
            neutral=self.worker.neutral(model),
            workers=self.workers[self._liars_at],
            round=round,
            seed=self._seed,
            honest=rows[self._regular_at],
            regular=self.regular,
        )
        if self._messages is None:
            self._messages = np.empty_like(rows)
        self._messages[self._regular_at] = view.honest
        with np.errstate(over="ignore", invalid="ignore"):
            self._messages[self._liars_at] = self._attack(view)
        return self._messages


def _where(mask: NDArray[np.bool_]) -> slice | NDArray[np.int64]:
    """Return which entries are set: as a slice if they are neighbours, so that taking them copies nothing."""
    (at,) = np.nonzero(mask)
    if len(at) and at[-1] - at[0] + 1 == len(at):
        return slice(int(at[0]), int(at[-1]) + 1)
    return at
