"""What the master is told, once the Byzantine workers have put their lies in place of their messages."""

from collections.abc import Callable, Iterable
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import ColludingAttack, FullView, IndifferentAttack
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector, Workers


class Adversary:
    """Those in `liars` among `workers`, who send what `attack` makes of their messages.

    Where it makes nothing of them, liars are idle; unless they are `working` all the same, as for measuring time.
    """

    def __init__(
        self,
        attack: Callable[[FullView], Rows] | None,
        workers: Workers,
        liars: Iterable[int] = (),
        seed: int = 0,
        working: bool = False,
    ) -> None:
        self._attack, self._workers, self._seed = attack, workers, seed
        lying = list(liars)
        self.lies = np.isin(workers, lying)
        """Who of the workers lies."""
        strangers = np.setdiff1d(lying, workers)
        if strangers.size:
            raise InvalidInput(f"liars must be among the workers; got {strangers[0]}")
        if attack is None and self.lies.any():
            raise InvalidInput("liars need an attack; got attack=None")
        if self.lies.all():
            raise InvalidInput(f"at least one worker must be regular; got {self.lies.sum()} liars among them all")
        self.regular: Workers = workers[~self.lies]
        """The numbers of the workers that tell the truth."""
        indifferent = isinstance(attack, get_args(IndifferentAttack)) and not working
        self.idle: Workers = workers[self.lies] if indifferent else workers[:0]
        """The numbers of the liars whose true messages nobody needs."""
        self._split = _split(self.lies)
        self._messages: Rows | None = None

    @property
    def colludes(self) -> bool:
        """Whether the attack looks at regular messages."""
        return isinstance(self._attack, get_args(ColludingAttack))

    def speak(self, rows: Rows, workers: Workers, neutral: Vector, round: int) -> Rows:
        """Return what those among `workers` send whose true messages are `rows`. It is good until the next call.

        Of those who are idle, rows may hold anything. Colluding workers that see no regular message in a round
        have nothing to go by and send what pulls nowhere.
        """
        everyone = len(workers) == len(self._workers)
        lies = self.lies if everyone else np.isin(workers, self._workers[self.lies])
        if self._attack is None or not lies.any():
            return rows
        if self.colludes and lies.all():
            return np.broadcast_to(neutral, rows.shape)
        liars_at, regular_at = self._split if everyone else _split(lies)
        regular = workers[regular_at]
        view = FullView(
            own=rows[liars_at],
            neutral=neutral,
            workers=workers[liars_at],
            round=round,
            seed=self._seed,
            honest=rows[regular_at],
            regular=regular,
            absent=self.regular[:0] if everyone else np.setdiff1d(self.regular, regular),
        )
        if self._messages is None or self._messages.shape != rows.shape:
            self._messages = np.empty_like(rows)
        self._messages[regular_at] = view.honest
        with np.errstate(over="ignore", invalid="ignore"):
            self._messages[liars_at] = self._attack(view)
        return self._messages


Where = slice | NDArray[np.int64]


def _split(lies: NDArray[np.bool_]) -> tuple[Where, Where]:
    return _where(lies), _where(~lies)


def _where(mask: NDArray[np.bool_]) -> Where:
    """Return which entries are set: as a slice if they are neighbours, so that taking them copies nothing."""
    (at,) = np.nonzero(mask)
    if len(at) and at[-1] - at[0] + 1 == len(at):
        return slice(int(at[0]), int(at[-1]) + 1)
    return at
