"""All members of a remote engine: asks them, and replaces members that are lost."""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TypeVar

from holdfast.engines import wire
from holdfast.engines.engine import FAULTS
from holdfast.engines.remote.member import Attention, Member, Post
from holdfast.engines.transport import Answer, Lost, Transport
from holdfast.engines.wire import Data, WireError
from holdfast.errors import EngineError, InvalidInput
from holdfast.states import Arrays

PATIENCE = 300.0
"""Seconds that a member may take to start, to load or to replay."""
LIVES = 5
"""How often a member may be lost, since the master read its state, before the run gives up."""
FEWER = "--shards 1 or --engine simulated"
"""How a run resumes with fewer processors."""

T = TypeVar("T")


class Roster:
    """The members, x0 of the rounds since their states were read, and the faults.

    A member that is `late` still has a request under way, so it is sent nothing. A member that is lost is replaced: the
    new one loads the last state and plays again the rounds since.
    """

    def __init__(
        self,
        transport: Transport,
        members: Sequence[Member],
        timeout: float | None,
        trusted: bool,
        autonomous: bool = False,
    ) -> None:
        self.members, self._timeout = members, timeout
        self._trusted, self._autonomous = trusted, autonomous
        self.attention = Attention()
        unasked = "an answer must be to a request; got one more, which is dropped"
        self._transport = transport
        self._post = Post(transport, lambda number: self.fault(members[number], unasked))
        self.log: dict[int, bytes] = {}
        """Frames of x0 by round, since states were read."""
        self.faults: list[str] = []
        self.crossed_down = 0
        """Bytes of frames that were sent to members."""
        self._current = 0

    def start(self) -> None:
        """Start all members; InvalidInput if one of them cannot start."""
        self._transport.start(self.attention.stopping)
        if self._autonomous:
            return
        for member in self.members:
            self._post.send(member.number, wire.pack("who"))
        for member in self.members:
            self._await_start(member)

    def _await_start(self, member: Member) -> None:
        """Wait for a member's first answer. A member that dies meanwhile is replaced."""
        meanwhile = self.attention.await_start(lambda: f"{member} to start: {self._transport.describe_wait()}")
        for last in [*[False] * LIVES, True]:
            event = self._post.wait((member.number,), None, meanwhile)
            try:
                self._arrays(event, "process")
                return
            except InvalidInput as error:
                if last or not isinstance(error, WireError):  # the member itself says why it cannot
                    raise InvalidInput(f"every shard must be able to start; got {error}") from None
                self.fault(member, error)
            self._post.replace(member.number)
            self._post.send(member.number, wire.pack("who"))

    def close(self) -> None:
        self._transport.close()

    def fault(self, member: Member, what: object) -> None:
        """Note a fault of a member, and say the first fault of each."""
        self.faults.append(f"round {self._current}: {member}: {what}")
        del self.faults[:-FAULTS]
        if not member.faulty:
            member.faulty = True
            self.attention.say(self.faults[-1])

    @property
    def next_round(self) -> int:
        """The round after the last logged round."""
        return max(self.log, default=-1) + 1

    def play(self, round: int, known: list[bytes]) -> Iterator[tuple[Member, Data]]:
        """Send a round to all members that are not late, and yield answers as they come, until the time is over.

        Members that took part in all rounds so far are sent the frames `known`, others x0.
        """
        self._current, whole, start = round + 1, [self.log[round]], monotonic()
        requests: dict[bool, bytes] = {}

        def send(member: Member) -> None:
            frames = whole if member.behind or known == whole else known
            if (frames is whole) not in requests:
                parts = {f"frame{place}": frame for place, frame in enumerate(frames)}
                requests[frames is whole] = wire.pack("play", round=round, **parts)
            self._post.send(member.number, requests[frames is whole])
            self.crossed_down += sum(map(len, frames))

        waiting: dict[int, Member] = {}
        for member in self.members:
            if member.owes(round):  # the round is asked again, after too few answered
                member.late = False
            elif member.late and not self._await_late(member, round, 0.0):
                continue
            else:
                send(member)
                member.note_round(round)
            waiting[member.number] = member
        deadline = None if self._timeout is None else monotonic() + self._timeout
        meanwhile = self.attention.await_answer(
            lambda: f"{' and '.join(map(str, waiting.values()))} in round {round + 1}"
        )
        try:
            while waiting:
                left = None if deadline is None else max(deadline - monotonic(), 0.0)
                event = self._post.wait(waiting, left, meanwhile)
                if event is None:
                    break
                member = self.members[event.member]
                if isinstance(event, Lost):
                    self._replace(member, round, event.why)
                    start = monotonic()  # the start of a new member is no part of a round
                    send(member)
                    member.behind = False
                    continue
                del waiting[member.number]
                yield member, event.data
            self.attention.slowest = max(self.attention.slowest, monotonic() - start)
        finally:
            for member in waiting.values():
                member.late = member.behind = True

    def ask_all(self, request: bytes, kind: str, read: Callable[[Member, Arrays], T]) -> list[T]:
        """Return all members' answers to a request, packets of this kind. Replace members until all have answered."""
        for member in self.members:
            self._request(member, request)
        return [self._obtain(member, request, kind, read) for member in self.members]

    def ask_one(self, member: Member, request: bytes, kind: str, read: Callable[[Member, Arrays], T]) -> T:
        """Return a member's answer to a request, a packet of this kind. Replace the member until it has answered."""
        self._request(member, request)
        return self._obtain(member, request, kind, read)

    def rewind(self, round: int) -> None:
        """Bring all members to their states before the round just played, unless they are autonomous."""
        if self._autonomous:
            return
        for member in self.members:
            member.undo(round)
            if member.late:
                self._replace(member, round, "no answer in time")
            elif not self._restore(member, round):
                self._replace(member, round, "the member could not go back a round")

    def _request(self, member: Member, request: bytes) -> None:
        """Send a request between rounds. A late member gets the time of one more round, then it is replaced."""
        if member.late and not self._await_late(member, self.next_round, self._timeout):
            self._replace(member, self.next_round, "no answer in time")
        self._post.send(member.number, request)

    def _obtain(self, member: Member, request: bytes, kind: str, read: Callable[[Member, Arrays], T]) -> T:
        while True:
            meanwhile = self.attention.await_answer(lambda: f"{kind} of {member}")
            event = self._post.wait((member.number,), None if self._timeout is None else PATIENCE, meanwhile)
            try:
                return read(member, self._arrays(event, kind))
            except WireError as error:
                self._replace(member, self.next_round, error)
                self._post.send(member.number, request)

    def _arrays(self, event: Answer | Lost | None, kind: str) -> Arrays:
        if not isinstance(event, Answer):
            raise WireError(event.why if event else f"no answer within {PATIENCE:.0f} seconds")
        return wire.open_answer(event.data, self._trusted, kind)

    def _await_late(self, member: Member, until: int, timeout: float | None) -> bool:
        """Return whether a late member is free again: its answer is dropped, or the member is lost and replaced."""
        event = self._post.wait((member.number,), timeout, self.attention.await_answer(lambda: str(member)))
        if event is None:
            return False
        member.late = False
        if isinstance(event, Lost):
            self._replace(member, until, event.why)
        return True

    def _replace(self, member: Member, until: int, why: object) -> None:
        """Put a new member in the place of this one, in its state before round `until`."""
        self.fault(member, why)
        while True:
            member.losses += 1
            if member.losses > LIVES:
                lost = f"lost {member.losses} times before round {until + 1} was over"
                raise EngineError(f"{member}: {lost}; the last time: {why}")
            self._post.replace(member.number)
            if self._restore(member, until):
                break
        member.late = False

    def _restore(self, member: Member, until: int) -> bool:
        """Bring a member to its state before round `until`, and return whether that worked."""
        member.behind = True
        meanwhile = self.attention.await_start(lambda: f"{member} to be ready again: {self._describe_shortage()}")
        for request in member.plan_restoration(self.log, until):
            self._post.send(member.number, request)
            event = self._post.wait((member.number,), PATIENCE, meanwhile)
            if event is None:
                late = f"{member} must be ready again within {PATIENCE:.0f} seconds"
                raise EngineError(f"{late}; got no answer: {self._describe_shortage()}")
            try:
                self._arrays(event, "done")
            except WireError as error:
                self.fault(member, error)
                return False
        return True

    def _describe_shortage(self) -> str:
        return f"{self._transport.describe_wait()}; where there are too few, resume with {FEWER}"
