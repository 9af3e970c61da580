"""A member as the master sees it, and waiting for members."""

from collections.abc import Callable, Collection, Mapping
from time import monotonic

import numpy as np

from holdfast.engines import wire
from holdfast.engines.transport import Answer, Lost, Meanwhile, Transport, do_nothing
from holdfast.errors import EngineError
from holdfast.states import Arrays
from holdfast.typing import Workers

GRACE = 1.0
"""Seconds, beyond the slowest round, that computing members still get when the run is asked to stop."""
SOON = 5.0
"""Seconds after which a member that has not started is reported, and between two looks whether that has changed."""
LATE = 60.0
"""Seconds after which a member that has not answered is reported."""


class Member:
    """Some workers behind a transport, and how to bring a new member in their place to the same state."""

    def __init__(self, number: int, workers: Workers, computing: int) -> None:
        self.number, self.workers = number, workers
        self.computing = computing
        """How many of the workers have a state."""
        self.late = False
        """Whether an answer is still under way that the master no longer waits for."""
        self.behind = True
        """Whether the member may have missed frames, so that it must be sent x0 itself."""
        self.losses = 0
        """How often the member was lost since the master last read its state."""
        self.faulty = False
        """Whether the member ever had a fault."""
        self._state: Arrays = {}
        self._rounds: list[int] = []

    def __str__(self) -> str:
        first, last = self.workers[0], self.workers[-1]
        return f"worker {first}" if len(self.workers) == 1 else f"workers {first} to {last}"

    def note_round(self, round: int) -> None:
        """Note that the member was sent this round, with all frames that the round needs."""
        self._rounds.append(round)
        self.behind = False

    def owes(self, round: int) -> bool:
        """Return whether the member's answer to this round is still under way."""
        return self.late and self._rounds[-1:] == [round]

    def undo(self, round: int) -> None:
        """Forget that the member was sent this round."""
        self._rounds = [past for past in self._rounds if past != round]

    def keep(self, state: Arrays) -> None:
        """Keep the member's state: earlier rounds need not be played again."""
        self._state, self._rounds, self.losses = state, [], 0

    def plan_restoration(self, log: Mapping[int, bytes], until: int) -> list[bytes]:
        """Return the requests that bring a new member to the state before round `until`."""
        past = {str(round): log[round] for round in self._rounds if round < until}
        return [wire.pack("load", **self._state), wire.pack("replay", **past)]


def divide(workers: Workers, members: int) -> list[Workers]:
    """Return the workers of each member: neighbours, divided as evenly as possible, at least one per member.

    >>> [part.tolist() for part in divide(np.arange(1, 6), members=2)]
    [[1, 2, 3], [4, 5]]
    """
    return np.array_split(workers, min(members, len(workers)))


class Attention:
    """Timeouts and progress messages while the master waits."""

    def __init__(self) -> None:
        self.stopping: Callable[[], bool] = lambda: False
        self.say: Callable[[str], object] = lambda text: None
        self.slowest = 0.0
        """Seconds that the slowest round took."""

    def await_start(self, what: Callable[[], str]) -> Meanwhile:
        """Return what to call while a member starts: the wait may end at once."""
        return self._meanwhile(what, SOON, 0.0)

    def await_answer(self, what: Callable[[], str]) -> Meanwhile:
        """Return what to call while members compute: they get the time that a round usually takes."""
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
    """A transport whose answers wait until they are asked for. Each request has one answer."""

    def __init__(self, transport: Transport, on_unasked: Callable[[int], object] = lambda member: None) -> None:
        self.transport, self._on_unasked = transport, on_unasked
        self._early: dict[int, Answer | Lost] = {}
        self._under_way: set[int] = set()

    def send(self, member: int, request: bytes) -> None:
        self._under_way.add(member)
        self.transport.send(member, request)

    def wait(
        self, members: Collection[int], timeout: float | None, meanwhile: Meanwhile = do_nothing
    ) -> Answer | Lost | None:
        """Return the next event of one of these members; None if `timeout` seconds pass without any."""
        for member in members:
            if member in self._early:
                return self._early.pop(member)
        for event in self.transport.collect(timeout, meanwhile):
            if event.member not in self._under_way:
                self._on_unasked(event.member)
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
