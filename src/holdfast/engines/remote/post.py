"""Waiting for some members while others answer, too."""

from collections.abc import Collection

from holdfast.engines.transport import Answer, Lost, Transport


class Post:
    """A transport whose answers wait until somebody asks for them."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self._early: dict[int, Answer | Lost] = {}

    def send(self, member: int, request: bytes) -> None:
        self.transport.send(member, request)

    def wait(self, members: Collection[int], timeout: float | None) -> Answer | Lost | None:
        """Return the next that comes from one of these members; None if so many seconds pass without any."""
        for member in members:
            if member in self._early:
                return self._early.pop(member)
        for event in self.transport.collect(timeout):
            if event.member in members:
                return event
            self._early[event.member] = event
        return None

    def replace(self, member: int) -> None:
        self._early.pop(member, None)
        self.transport.replace(member)
