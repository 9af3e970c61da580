"""What carries requests to members and their answers back: all that Ray, Flower or another network must do.

A member is a process with some of the workers, a `Station` around them. Members are numbered from 0. A member has at
most one request under way, and an answer is to that request; both are bytes, and nothing in them is executed.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from holdfast.engines.wire import Data


class Answer(NamedTuple):
    """What a member answered."""

    member: int
    data: Data


class Lost(NamedTuple):
    """A member that will not answer any more."""

    member: int
    why: str


class Transport(Protocol):
    """Moves bytes. Whether they make sense is looked at elsewhere."""

    def start(self) -> None:
        """Start all members; one that cannot start is reported as lost when it is sent something."""

    def send(self, member: int, request: bytes) -> None:
        """Send a request and return at once; the same bytes object may go to several members."""

    def collect(self, timeout: float | None) -> Iterator[Answer | Lost]:
        """Yield answers and losses as they come, until so many seconds are over or no request is under way.

        Whoever iterates may stop early; what was not yielded then is yielded by the next call.
        """

    def replace(self, member: int) -> None:
        """End a member, if it still runs, and start a new one in its place; the old one's answers are dropped."""

    def close(self) -> None:
        """End all members and whatever else was started."""
