"""What the master is told, once the Byzantine workers have put their lies in place of their messages."""

from collections.abc import Callable, Iterable
from typing import get_args

import numpy as np

from holdfast.attacks import ColludingAttack, FullView, IndifferentAttack
from holdfast.engines.places import split
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
        self._split = split(self.lies)
        self._copy: Rows | None = None

    @property
    def colludes(self) -> bool:
        """Whether the attack looks at regular messages."""
        return isinstance(self._attack, get_args(ColludingAttack))

    def speak(self, rows: Rows, workers: Workers, neutral: Vector, round: int) -> Rows:
        """Return what those among `workers` send whose true messages are `rows`. It is good until the next call.

        The rows of those who are idle are there to be written over; no others are. Colluding workers that see no
        regular message in a round have nothing to go by and send what pulls nowhere.
        """
        everyone = len(workers) == len(self._workers)
        lies = self.lies if everyone else np.isin(workers, self._workers[self.lies])
        if self._attack is None or not lies.any():
            return rows
        if self.colludes and lies.all():
            return np.broadcast_to(neutral, rows.shape)
        liars_at, regular_at = self._split if everyone else split(lies)
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
        messages = rows if len(self.idle) else self._copied(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            messages[liars_at] = self._attack(view)
        return messages

    def _copied(self, rows: Rows) -> Rows:
        if self._copy is None or self._copy.shape != rows.shape:
            self._copy = np.empty_like(rows)
        self._copy[:] = rows
        return self._copy
