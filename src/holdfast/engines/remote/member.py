"""A member as the master sees it, and waiting for members."""

from collections.abc import Callable, Collection, Mapping
from time import monotonic

import numpy as np

from holdfast.engines import wire
from holdfast.engines.transport import Answer, Lost, Meanwhile, Transport, nothing
from holdfast.errors import EngineError
from holdfast.states import Arrays
from holdfast.typing import Workers


class Member:
    """Some workers behind a transport, and what a new member in their place would have to do to be where they are."""

    def __init__(self, number: int, workers: Workers, computing: int) -> None:
        self.number, self.workers = number, workers
        self.computing = computing
        """How many of the workers have a state."""
        self.late = False
        """Whether an answer is under way that nobody waits for any more."""
        self.behind = True
        """Whether it may have missed what the others were sent, so that it must be sent x0 itself."""
        self.losses = 0
        """How often it was lost since its state was kept."""
        self.faulty = False
        """Whether anything ever went wrong with it."""
        self._kept: Arrays = {}
        self._rounds: list[int] = []

    def __str__(self) -> str:
        first, last = self.workers[0], self.workers[-1]
        return f"worker {first}" if len(self.workers) == 1 else f"workers {first} to {last}"

    def asked(self, round: int) -> None:
        """Remember that it was sent this round, with all that it needs for it."""
        self._rounds.append(round)
        self.behind = False

    def owes(self, round: int) -> bool:
        """Return whether its answer to this round is still under way."""
        return self.late and self._rounds[-1:] == [round]

    def undo(self, round: int) -> None:
        """Forget that it was sent this round."""
        self._rounds = [past for past in self._rounds if past != round]

    def keep(self, state: Arrays) -> None:
        """Keep a state: the rounds before need not be played again."""
        self._kept, self._rounds, self.losses = state, [], 0

    def restoring(self, log: Mapping[int, bytes], until: int) -> list[bytes]:
        """Return the requests that bring it to where it was before round `until`."""
        past = {str(round): log[round] for round in self._rounds if round < until}
        return [wire.pack("load", **self._kept), wire.pack("replay", **past)]


def divided(workers: Workers, members: int) -> list[Workers]:
    """Return the workers of each member: neighbours, as evenly as they can be divided, and nobody without any.

    >>> [part.tolist() for part in divided(np.arange(1, 6), members=2)]
    [[1, 2, 3], [4, 5]]
    """
    return np.array_split(workers, min(members, len(workers)))


GRACE = 1.0
"""Seconds that those who compute are still waited for when the run is asked to stop, beyond their slowest round."""
SOON = 5.0
"""Seconds after which it is said that a member has not started, and between two looks whether that has changed."""
LATE = 60.0
"""Seconds after which it is said that a member has not answered."""


class Attention:
    """Whether the run is asked to stop, and to whom something is said; nobody asks or listens at first."""

    def __init__(self) -> None:
        self.stopping: Callable[[], bool] = lambda: False
        self.say: Callable[[str], object] = lambda text: None
        self.slowest = 0.0
        """Seconds that the slowest round took."""

    def starting(self, what: Callable[[], str]) -> Meanwhile:
        """Return what is done while a member is waited for that does not compute yet: it may be given up at once."""
        return self._meanwhile(what, SOON, 0.0)

    def computing(self, what: Callable[[], str]) -> Meanwhile:
        """Return what is done while members compute: what they have begun is given the time that it usually takes."""
        return self._meanwhile(what, LATE + 2 * self.slowest, GRACE + self.slowest)

    def _meanwhile(self, what: Callable[[], str], say_after: float, grace: float) -> Meanwhile:
        look, said, asked = monotonic() + say_after, "", 0.0

        def meanwhile() -> None:
            nonlocal look, said, asked
            now = monotonic()
            if self.stopping():
                asked = asked or now
                if now - asked >= grace:
                    raise EngineError(f"asked to stop while waiting for {what()}")
            if now > look:
                look, before, said = now + SOON, said, what()
                if said != before:
                    self.say(f"waiting for {said}")

        return meanwhile


class Post:
    """A transport whose answers wait until somebody asks for them. To one request there is one answer."""

    def __init__(self, transport: Transport, unasked: Callable[[int], object] = lambda member: None) -> None:
        self.transport, self._unasked = transport, unasked
        self._early: dict[int, Answer | Lost] = {}
        self._under_way: set[int] = set()

    def send(self, member: int, request: bytes) -> None:
        self._under_way.add(member)
        self.transport.send(member, request)

    def wait(
        self, members: Collection[int], timeout: float | None, meanwhile: Meanwhile = nothing
    ) -> Answer | Lost | None:
        """Return the next that comes from one of these members; None if so many seconds pass without any."""
        for member in members:
            if member in self._early:
                return self._early.pop(member)
        for event in self.transport.collect(timeout, meanwhile):
            if event.member not in self._under_way:
                self._unasked(event.member)
                continue
            self._under_way.remove(event.member)
            if event.member in members:
                return event
            self._early[event.member] = event
        return None

    def replace(self, member: int) -> None:
        self._early.pop(member, None)
        self._under_way.discard(member)
        self.transport.replace(member)
