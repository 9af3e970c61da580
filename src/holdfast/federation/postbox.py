"""A transport over a service that takes letters and is asked for replies, such as Flower's."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from time import monotonic, sleep
from typing import NamedTuple, Protocol

from holdfast.engines import wire
from holdfast.engines.transport import Answer, Lost

INTERVAL = 0.2
"""Seconds between two questions whether a reply has come."""


class Failure(NamedTuple):
    """A letter to which no reply will come."""

    why: str


class Carrier(Protocol):
    """Carries letters to the nodes of members and brings their replies."""

    def push(self, member: int, request: bytes) -> str:
        """Send a request and return the ticket by which its reply is asked for."""

    def pull(self, tickets: Collection[str]) -> Mapping[str, bytes | Failure]:
        """Return the replies that have come."""

    def connected(self) -> Collection[int]:
        """Return the members whose nodes are there."""


class Postbox:
    """Members on nodes that come and go by themselves, one letter under way to each.

    Nobody here can start a node, so a member is never lost: it is away until its node is connected again, and goes on
    from its own checkpoint. What it was asked is then answered by an error, which makes it absent from that round.
    """

    def __init__(self, carrier: Carrier, interval: float = INTERVAL) -> None:
        self._carrier, self._interval = carrier, interval
        self._under_way: dict[str, int] = {}
        self._away: dict[int, str] = {}
        self._ready: deque[Answer] = deque()

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Nodes start by themselves."""

    def send(self, member: int, request: bytes) -> None:
        self._under_way[self._carrier.push(member, request)] = member

    def collect(self, timeout: float | None, meanwhile: Callable[[], None] = lambda: None) -> Iterator[Answer | Lost]:
        deadline = None if timeout is None else monotonic() + timeout
        while self._under_way or self._away or self._ready:
            if not self._ready:
                self._ready.extend(self._arrived())
            while self._ready:  # whoever iterates may stop at any of them
                yield self._ready.popleft()
            if deadline is not None and monotonic() >= deadline:
                return
            if self._under_way or self._away:
                meanwhile()
                sleep(self._interval)

    def _arrived(self) -> Iterator[Answer]:
        for ticket, reply in self._carrier.pull(tuple(self._under_way)).items():
            member = self._under_way.pop(ticket)
            if isinstance(reply, Failure):
                self._away[member] = reply.why
            else:
                yield Answer(member, reply)
        back = set(self._carrier.connected()) & self._away.keys() if self._away else set()
        for member in sorted(back):
            why = " ".join(self._away.pop(member).split())
            yield Answer(member, wire.pack("failed", text=why.encode()))

    def replace(self, member: int) -> None:
        """Drop what the member still owes; its node, if it is there, goes on."""
        self._under_way = {ticket: of for ticket, of in self._under_way.items() if of != member}
        self._away.pop(member, None)
        self._ready = deque(answer for answer in self._ready if answer.member != member)

    def occupied(self) -> str:
        return f"{len(self._away)} nodes are not connected"

    def close(self) -> None:
        self._under_way, self._away, self._ready = {}, {}, deque()
