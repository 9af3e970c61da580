"""A transport whose members are stations in this process, with faults to order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from holdfast.engines import wire
from holdfast.engines.remote import Station
from holdfast.engines.transport import Answer, Lost, Meanwhile, do_nothing
from holdfast.engines.wire import Data


class Fate(Enum):
    """What may become of an answer."""

    DIES = "the member dies before it is sent"
    HANGS = "it is held back until it is released"


Tamper = Callable[[int, str, bytes], bytes | Fate]
"""What becomes of the answer of a member to a request of this kind."""


def faithful(member: int, kind: str, answer: bytes) -> bytes:
    return answer


class Loopback:
    """Requests are handled as they are sent; time never passes, so waiting without a limit for nothing is an error."""

    def __init__(self, stations: Sequence[Callable[[], Station]]) -> None:
        self._builders = stations
        self.running: dict[int, Station] = {}
        self._ready: deque[Answer | Lost] = deque()
        self._held: dict[int, Answer] = {}
        self._under_way: set[int] = set()
        self.tamper: Tamper = faithful
        self.requests: list[tuple[int, bytes]] = []
        self.replaced: list[int] = []
        self.patient = 1
        """How many times something is done meanwhile, when answers are held back."""
        self.watched = do_nothing

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self.running = {member: build() for member, build in enumerate(self._builders)}

    def send(self, member: int, request: bytes) -> None:
        assert type(request) is bytes
        assert member not in self._under_way, "a member has at most one request under way"
        self.requests.append((member, request))
        self._under_way.add(member)
        if member not in self.running:
            self._ready.append(Lost(member, "it died"))
            return
        answer = self.running[member].handle(request)
        assert type(answer) is bytes
        fate = self.tamper(member, wire.unpack(request).kind, answer)
        if fate is Fate.HANGS:
            self._held[member] = Answer(member, answer)
        elif fate is Fate.DIES:
            self.kill(member)
        else:
            self._ready.append(Answer(member, fate))

    def collect(self, timeout: float | None, meanwhile: Meanwhile = do_nothing) -> Iterator[Answer | Lost]:
        while self._ready:
            event = self._ready.popleft()
            self._under_way.discard(event.member)
            yield event
        for _ in range(self.patient if self._held else 0):
            self.watched()
            meanwhile()
        assert timeout is not None or not self._held, "this would wait for ever"

    def replace(self, member: int) -> None:
        self._drop(member)
        self._under_way.discard(member)
        self.replaced.append(member)
        self.running[member] = self._builders[member]()

    def describe_wait(self) -> str:
        return "nobody knows why"

    def close(self) -> None:
        self.running = {}

    def kill(self, member: int) -> None:
        """End a member as `kill -9` does: what it was asked is answered by its loss."""
        self._drop(member)
        self.running.pop(member, None)
        if member in self._under_way:
            self._ready.append(Lost(member, "it died"))

    def release(self, member: int) -> None:
        """Let a held answer arrive."""
        self._ready.append(self._held.pop(member))

    def deliver(self, member: int, answer: bytes) -> None:
        """Let an answer arrive that nobody has asked for."""
        self._ready.append(Answer(member, answer))

    def _drop(self, member: int) -> None:
        self._held.pop(member, None)
        self._ready = deque(event for event in self._ready if event.member != member)

    def kinds(self, member: int) -> list[str]:
        """Return the kinds of all requests to a member."""
        return [wire.unpack(request).kind for to, request in self.requests if to == member]


def changed(member: int, kind: str, change: Callable[[Data], bytes | Fate], times: int = 1) -> Tamper:
    """Return what changes so many answers of a member to requests of a kind."""
    left = times

    def tamper(of: int, to: str, answer: bytes) -> bytes | Fate:
        nonlocal left
        if (of, to) != (member, kind) or not left:
            return answer
        left -= 1
        return change(answer)

    return tamper
