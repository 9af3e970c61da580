"""A fleet that somebody listens to."""

from typing import NamedTuple

from holdfast.typing import Fleet, Rows, Vector


class Heard(NamedTuple):
    """What master and workers said to each other in a round. Good until the next one."""

    model: Vector
    rows: Rows


class Overheard:
    """Passes everything on and remembers the last round, for whoever looks at it between rounds."""

    last: Heard
    """Of the last round; there is none before the first."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet

    def exchange(self, model: Vector, round: int) -> Rows:
        rows = self.fleet.exchange(model, round)
        self.last = Heard(model, rows)
        return rows
