"""What carries requests to members and their answers back: all that Ray, Flower or another network must do.

A member is a process with some of the workers, a `Station` around them. Members are numbered from 0. A member has at
most one request under way, and an answer is to that request; both are bytes, and nothing in them is executed.
"""

from collections.abc import Callable, Iterator
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


Meanwhile = Callable[[], None]
"""What is done while nothing comes. What it raises ends the waiting."""


def nothing() -> None:
    """Do nothing meanwhile."""


class Transport(Protocol):
    """Moves bytes. Whether they make sense is looked at elsewhere."""

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Start all members; one that cannot start is reported as lost when it is sent something.

        If this takes long, it is asked now and then whether it shall stop; then it raises EngineError.
        """

    def send(self, member: int, request: bytes) -> None:
        """Send a request and return at once; the same bytes object may go to several members."""

    def collect(self, timeout: float | None, meanwhile: Meanwhile = nothing) -> Iterator[Answer | Lost]:
        """Yield answers and losses as they come, until so many seconds are over or no request is under way.

        While nothing comes, `meanwhile` is called a few times a second. Whoever iterates may stop early; what was not
        yielded then is yielded by the next call.
        """

    def replace(self, member: int) -> None:
        """End a member, if it still runs, and start a new one in its place; the old one's answers are dropped."""

    def occupied(self) -> str:
        """Return a few words on what a member that does not start may be waiting for."""

    def close(self) -> None:
        """End all members and whatever else was started."""
