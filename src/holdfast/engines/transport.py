"""A transport carries requests to members and their answers back: all that Ray, Flower or another network must do.

A member is a process with a `Station` around some of the workers. Members are numbered from 0. A member has at most one
request under way. Requests and answers are bytes, and nothing in them is executed.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from holdfast.engines.wire import Data


class Answer(NamedTuple):
    """A member's answer."""

    member: int
    data: Data


class Lost(NamedTuple):
    """A member that will not answer any more, and why."""

    member: int
    why: str


Meanwhile = Callable[[], None]
"""Called while no answer comes. An exception ends the wait."""


def do_nothing() -> None:
    """Do nothing meanwhile."""


class Transport(Protocol):
    """Moves bytes. Their content is checked elsewhere."""

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Start all members. A member that cannot start is reported as lost when it is sent a request.

        A slow start asks `stopping` now and then; if the answer is yes, it raises EngineError.
        """

    def send(self, member: int, request: bytes) -> None:
        """Send a request and return at once. The same bytes object may go to several members."""

    def collect(self, timeout: float | None, meanwhile: Meanwhile = do_nothing) -> Iterator[Answer | Lost]:
        """Yield answers and losses as they come, until `timeout` seconds are over or no request is under way.

        While nothing comes, `meanwhile` is called a few times a second. The caller may stop early; the next call yields
        the rest.
        """

    def replace(self, member: int) -> None:
        """End a member, if it still runs, drop its answers and start a new member in its place."""

    def describe_wait(self) -> str:
        """Return a few words on what a member that does not start may be waiting for."""

    def close(self) -> None:
        """End all members, and everything else that the transport started."""
