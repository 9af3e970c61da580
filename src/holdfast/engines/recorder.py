"""An engine whose last round can be looked at."""

from holdfast.engines.protocol import Exchanges
from holdfast.methods import Served
from holdfast.typing import Messages, Tally


class Recorder:
    """Passes rounds on to an engine and remembers the messages of the last one. They are valid until the next."""

    last: Messages | None = None
    """None before the first round, and where a tally arrived in place of rows."""

    def __init__(self, engine: Exchanges) -> None:
        self.engine = engine

    def exchange(self, state: Served, round: int) -> Messages:
        messages = self.engine.exchange(state, round)
        self.last = None if isinstance(messages.rows, Tally) else messages
        return messages
