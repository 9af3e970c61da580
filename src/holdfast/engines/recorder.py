"""A fleet that somebody listens to."""

from typing import Any, NamedTuple

import numpy as np

from holdfast.typing import Fleet, Rows, Vector


class Heard(NamedTuple):
    """What master and workers said to each other in a round. Good until the next one."""

    model: Vector
    rows: Rows


class Overheard:
    """Passes everything on and remembers the last round, for whoever looks at it between rounds."""

    last: Heard | None = None
    """Of the last round; None before the first, and where not every worker's message was there to be heard."""

    def __init__(self, fleet: Fleet, workers: int) -> None:
        self.fleet, self.workers = fleet, workers

    def exchange(self, model: Vector, round: int) -> Any:
        messages = self.fleet.exchange(model, round)
        self.last = None
        if isinstance(messages, np.ndarray) and len(messages) == self.workers:  # no tally, and nobody is absent
            self.last = Heard(model, messages)
        return messages
