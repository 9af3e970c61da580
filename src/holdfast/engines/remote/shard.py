"""Some of the workers, in a process of their own: what an actor runs."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.engines import wire
from holdfast.engines.adversary import Adversary
from holdfast.engines.group import Crew
from holdfast.engines.participation import Participation
from holdfast.engines.ray import parcel
from holdfast.engines.remote.following import Follower
from holdfast.engines.wire import Kind
from holdfast.onebit.coin import Counted
from holdfast.typing import Bits, Messages, Tally, Vector, Workers


class Shard:
    """A crew that hears frames and answers with one: its rows, or the tally of its bits.

    Liars that need nothing but their own row lie here. Those that collude lie where all regular messages are
    known, at the other end; then rows are sent, since a tally would hide them.
    """

    def __init__(
        self,
        crew: Crew,
        adversary: Adversary,
        participation: Participation,
        counted: Counted | None,
        kind: Kind,
        follower: Follower,
    ) -> None:
        self._crew, self._adversary, self._participation = crew, adversary, participation
        self._counted, self._kind, self._follower = counted, kind, follower

    def answer(self, round: int, frames: Sequence[bytes | Bits]) -> bytes | Bits | None:
        """Play a round; None if nobody here is asked."""
        for frame in frames:
            self._follower.hear(frame)
        model = self._follower.model(round)
        asked = np.intersect1d(self._participation.asked(round), self._crew.workers, assume_unique=True)
        if not len(asked):
            return None
        messages = self._messages(model, round, asked)
        if isinstance(messages, Tally):
            return parcel(wire.tally(messages, round))
        return parcel(wire.floats(self._kind, messages, round))

    def _messages(self, model: Vector, round: int, asked: Workers) -> Messages:
        rows = self._crew.answer(model, round, asked)
        if self._adversary.colludes:
            return rows
        rows = self._adversary.speak(rows, asked, self._crew.worker.neutral(model), round)
        return rows if self._counted is None else self._counted(model, rows, asked, round)

    def warm_up(self, model: Vector) -> None:
        """Play a round that is forgotten, so that the first one does not wait for code to be loaded."""
        before = self._crew.state
        self._messages(model, 0, self._crew.workers)
        self._crew.state = before

    def replay(self, rounds: Sequence[tuple[int, bytes]]) -> None:
        """Play these rounds again from their x0, for the states that they lead to."""
        for round, frame in rounds:
            self.answer(round, [frame])

    def process(self) -> int:
        """Return the number of the process that runs this."""
        return os.getpid()

    def state(self) -> tuple[NDArray[Any], ...]:
        return tuple(self._crew.state)

    def load(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Go on from these states."""
        kind = type(self._crew.state)
        self._crew.state = kind(*(np.array(array) for array in arrays))

    def total(self, model: Vector, so_far: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """Return the sum of the regular workers' models, added one after another to what is so far."""
        return self._crew.total(model, self._regular(), so_far)

    def squares(self, model: Vector, point: Vector) -> NDArray[np.float64]:
        """Return the regular workers' squared distances to a point."""
        return self._crew.squares(model, self._regular(), point)

    def _regular(self) -> Workers:
        return np.intersect1d(self._adversary.regular, self._crew.workers, assume_unique=True)
