"""A transport over a service that takes requests and is polled for replies, such as Flower's."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from time import monotonic, sleep
from typing import NamedTuple, Protocol

from holdfast.engines import wire
from holdfast.engines.transport import Answer, Lost, Meanwhile, do_nothing
from holdfast.errors import EngineError

INTERVAL = 0.2
"""Seconds between two polls."""


class Failure(NamedTuple):
    """A request to which no reply will come."""

    why: str


class Carrier(Protocol):
    """Carries requests to the nodes of members and brings their replies."""

    def push(self, member: int, request: bytes) -> str:
        """Send a request and return the ticket of its reply."""

    def pull(self, tickets: Collection[str]) -> Mapping[str, bytes | Failure]:
        """Return the replies that have come, by ticket."""

    def list_connected(self) -> Collection[int]:
        """Return the members whose nodes are connected."""


class Postbox:
    """Members on nodes that come and go by themselves, one request under way to each.

    The server cannot start a node, so a member is never lost: it is away until its node is connected again, and
    resumes from its own checkpoint. Its pending request is then answered by an error: it is absent from that round.
    """

    def __init__(self, carrier: Carrier, interval: float = INTERVAL) -> None:
        self._carrier, self._interval = carrier, interval
        self._under_way: dict[str, int] = {}
        self._away: dict[int, str] = {}
        self._ready: deque[Answer] = deque()

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Do nothing: nodes start by themselves."""

    def send(self, member: int, request: bytes) -> None:
        self._under_way[self._carrier.push(member, request)] = member

    def collect(self, timeout: float | None, meanwhile: Meanwhile = do_nothing) -> Iterator[Answer | Lost]:
        deadline = None if timeout is None else monotonic() + timeout
        while self._under_way or self._away or self._ready:
            if not self._ready:
                self._ready.extend(self._poll())
            while self._ready:  # the caller may stop at any of them
                yield self._ready.popleft()
            if deadline is not None and monotonic() >= deadline:
                return
            if self._under_way or self._away:
                meanwhile()
                sleep(self._interval)

    def _poll(self) -> Iterator[Answer]:
        for ticket, reply in self._carrier.pull(tuple(self._under_way)).items():
            member = self._under_way.pop(ticket)
            if isinstance(reply, Failure):
                self._away[member] = reply.why
            else:
                yield Answer(member, reply)
        back = set(self._carrier.list_connected()) & self._away.keys() if self._away else set()
        for member in sorted(back):
            yield Answer(member, wire.pack_error(EngineError(self._away.pop(member))))

    def replace(self, member: int) -> None:
        """Drop the member's pending requests and replies; its node, if connected, stays."""
        self._under_way = {ticket: of for ticket, of in self._under_way.items() if of != member}
        self._away.pop(member, None)
        self._ready = deque(answer for answer in self._ready if answer.member != member)

    def describe_wait(self) -> str:
        return f"{len(self._away)} nodes are not connected"

    def close(self) -> None:
        self._under_way, self._away, self._ready = {}, {}, deque()
