"""All members of a remote engine: asking them, and replacing those that are lost."""

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import TypeVar

from holdfast.engines import wire
from holdfast.engines.remote.answers import opened
from holdfast.engines.remote.member import Member
from holdfast.engines.remote.post import Post
from holdfast.engines.transport import Answer, Lost, Transport
from holdfast.engines.wire import Data, WireError
from holdfast.errors import EngineError, InvalidInput
from holdfast.states import Arrays

PATIENCE = 300.0
"""Seconds that a member may take for what is not a round: to start, to load, to replay."""
LIVES = 5
"""How often a member may be lost between two times that its state was kept before the run gives up."""
FAULTS = 100
"""How many faults are remembered, the latest."""

T = TypeVar("T")


class Roster:
    """The members, x0 of the rounds since their states were kept, and what went wrong.

    A member that is `late` still has a request under way, so it is sent nothing. One that is lost is replaced: the new
    one loads the kept state and plays again the rounds that the old one was sent since.
    """

    def __init__(self, transport: Transport, members: Sequence[Member], timeout: float | None, trusted: bool) -> None:
        self.members, self._timeout, self._trusted = members, timeout, trusted
        self._transport, self._post = transport, Post(transport)
        self.log: dict[int, bytes] = {}
        """Frames of x0 by round, since states were kept."""
        self.faults: list[str] = []
        self.crossed_down = 0
        """Bytes of frames that were sent to members."""
        self._begun = 0

    def start(self) -> None:
        """Start all members, or say which of them cannot."""
        self._transport.start()
        for member in self.members:
            self._post.send(member.number, wire.pack("who"))
        for member in self.members:
            event = self._post.wait((member.number,), None)
            if not isinstance(event, Answer):
                raise InvalidInput(f"every shard must be able to start; got {event.why if event else 'no answer'}")

    def close(self) -> None:
        self._transport.close()

    def fault(self, member: Member, what: object) -> None:
        """Remember what went wrong with a member."""
        self.faults.append(f"round {self._begun}: {member}: {what}")
        del self.faults[:-FAULTS]

    @property
    def next_round(self) -> int:
        """The round after the last that is logged."""
        return max(self.log, default=-1) + 1

    def play(self, round: int, known: list[bytes]) -> Iterator[tuple[Member, Data]]:
        """Send a round to all that are not late, and yield answers as they come, until the time is over.

        Those that took part in all rounds so far are sent the frames in `known`, others x0.
        """
        self._begun, whole = round + 1, [self.log[round]]
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
            if member.late and not self._back(member, round, 0.0):
                continue
            send(member)
            member.asked(round)
            waiting[member.number] = member
        deadline = None if self._timeout is None else monotonic() + self._timeout
        try:
            while waiting:
                left = None if deadline is None else max(deadline - monotonic(), 0.0)
                event = self._post.wait(waiting, left)
                if event is None:
                    break
                member = self.members[event.member]
                if isinstance(event, Lost):
                    self._replace(member, round, event.why)
                    send(member)
                    member.behind = False
                    continue
                del waiting[member.number]
                yield member, event.data
        finally:
            for member in waiting.values():
                member.late = member.behind = True

    def from_all(self, request: bytes, kind: str, read: Callable[[Member, Arrays], T]) -> list[T]:
        """Return what all members answer to a request with a packet of this kind, whatever that takes."""
        for member in self.members:
            self._ask(member, request)
        return [self._obtain(member, request, kind, read) for member in self.members]

    def from_one(self, member: Member, request: bytes, kind: str, read: Callable[[Member, Arrays], T]) -> T:
        """Return what a member answers to a request with a packet of this kind, whatever that takes."""
        self._ask(member, request)
        return self._obtain(member, request, kind, read)

    def rewind(self, round: int) -> None:
        """Bring all members to where they were before the round that was just played."""
        for member in self.members:
            member.undo(round)
            if member.late or not self._restored(member, round):
                self._replace(member, round, "no answer in time")

    def _ask(self, member: Member, request: bytes) -> None:
        """Send a request between rounds; a member that is late is waited for once more, then replaced."""
        if member.late and not self._back(member, self.next_round, self._timeout):
            self._replace(member, self.next_round, "no answer in time")
        self._post.send(member.number, request)

    def _obtain(self, member: Member, request: bytes, kind: str, read: Callable[[Member, Arrays], T]) -> T:
        while True:
            event = self._post.wait((member.number,), None if self._timeout is None else PATIENCE)
            try:
                return read(member, self._arrays(member, event, kind))
            except WireError as error:
                self._replace(member, self.next_round, error)
                self._post.send(member.number, request)

    def _arrays(self, member: Member, event: Answer | Lost | None, kind: str) -> Arrays:
        if not isinstance(event, Answer):
            raise WireError(event.why if event else f"no answer within {PATIENCE:.0f} seconds")
        return opened(event.data, str(member), self._trusted, kind)

    def _back(self, member: Member, until: int, timeout: float | None) -> bool:
        """Return whether a late member is free again: its answer is dropped, or it is lost and replaced."""
        event = self._post.wait((member.number,), timeout)
        if event is None:
            return False
        member.late = False
        if isinstance(event, Lost):
            self._replace(member, until, event.why)
        return True

    def _replace(self, member: Member, until: int, why: object) -> None:
        """Put a new member in the place of this one, as it was before round `until`."""
        self.fault(member, why)
        while True:
            member.losses += 1
            if member.losses > LIVES:
                lost = f"lost {member.losses} times before round {until + 1} was over"
                raise EngineError(f"{member}: {lost}; the last time: {why}")
            self._post.replace(member.number)
            if self._restored(member, until):
                break
        member.late = False

    def _restored(self, member: Member, until: int) -> bool:
        """Bring a member to where it was before round `until`, and return whether that worked."""
        member.behind = True
        for request in member.restoring(self.log, until):
            self._post.send(member.number, request)
            event = self._post.wait((member.number,), PATIENCE)
            if event is None:
                raise EngineError(f"{member} must be ready again within {PATIENCE:.0f} seconds; got no answer")
            try:
                self._arrays(member, event, "done")
            except WireError as error:
                self.fault(member, error)
                return False
        return True
