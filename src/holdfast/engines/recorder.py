"""An engine whose last round can be looked at."""

from typing import NamedTuple

from holdfast.engines.protocol import Exchanges
from holdfast.typing import Received, Tally, Vector


class LastRound(NamedTuple):
    """The master's model in a round and what it received. Valid until the next round."""

    model: Vector
    received: Received


class Recorder:
    """Passes rounds on to an engine and remembers the last one."""

    last: LastRound | None = None
    """None before the first round, and where the master received a tally in place of rows."""

    def __init__(self, engine: Exchanges) -> None:
        self.engine = engine

    def exchange(self, model: Vector, round: int) -> Received:
        received = self.engine.exchange(model, round)
        self.last = None if isinstance(received.rows, Tally) else LastRound(model, received)
        return received
