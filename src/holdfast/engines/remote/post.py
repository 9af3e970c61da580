"""Waiting for some members while others answer, too."""

from collections.abc import Callable, Collection

from holdfast.engines.transport import Answer, Lost, Meanwhile, Transport, nothing


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
