"""Somebody waits: when that ends although nothing came, and what is said meanwhile."""

from collections.abc import Callable
from time import monotonic

from holdfast.engines.transport import Meanwhile
from holdfast.errors import EngineError

GRACE = 1.0
"""Seconds that those who compute are still waited for when the run is asked to stop, beyond their slowest round."""
SOON = 5.0
"""Seconds after which it is said that a member has not started, and between two looks whether that has changed."""
LATE = 60.0
"""Seconds after which it is said that a member has not answered."""


class Attention:
    """Whether the run is asked to stop, and to whom something is said; nobody asks or listens at first."""

    def __init__(self) -> None:
        self.stopping: Callable[[], bool] = lambda: False
        self.say: Callable[[str], object] = lambda text: None
        self.slowest = 0.0
        """Seconds that the slowest round took."""

    def starting(self, what: Callable[[], str]) -> Meanwhile:
        """Return what is done while a member is waited for that does not compute yet: it may be given up at once."""
        return self._meanwhile(what, SOON, 0.0)

    def computing(self, what: Callable[[], str]) -> Meanwhile:
        """Return what is done while members compute: what they have begun is given the time that it usually takes."""
        return self._meanwhile(what, LATE + 2 * self.slowest, GRACE + self.slowest)

    def _meanwhile(self, what: Callable[[], str], say_after: float, grace: float) -> Meanwhile:
        look, said, asked = monotonic() + say_after, "", 0.0

        def meanwhile() -> None:
            nonlocal look, said, asked
            now = monotonic()
            if self.stopping():
                asked = asked or now
                if now - asked >= grace:
                    raise EngineError(f"asked to stop while waiting for {what()}")
            if now > look:
                look, before, said = now + SOON, said, what()
                if said != before:
                    self.say(f"waiting for {said}")

        return meanwhile
