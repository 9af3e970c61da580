"""What the master's process and every station must agree on."""

from dataclasses import dataclass
from typing import Any

from holdfast.engines.adversary import Adversary
from holdfast.engines.participation import Participation
from holdfast.engines.wire import Kind
from holdfast.methods.base import Reading
from holdfast.onebit import BitReading, TallyBits
from holdfast.typing import Worker


@dataclass(frozen=True)
class Agreement:
    """The workers' rule, who is Byzantine, who is asked, what the master reads, and what kind of numbers rows are."""

    worker: Worker[Any]
    adversary: Adversary
    participation: Participation
    reading: Reading
    rows: Kind = Kind.MODEL
    """MODEL or GRADIENT."""

    @property
    def bits(self) -> BitReading | None:
        """What makes bits of rows at a station, if they are made there.

        Colluding workers must see every honest row, and do so in the master's process: then rows are sent.
        """
        return self.reading if isinstance(self.reading, BitReading) and not self.adversary.colludes else None

    @property
    def follows(self) -> bool:
        """Whether the master reads tallies, so that stations can follow its model.

        One that reads the bits of single workers may weigh them differently: no count tells where it goes, so
        stations are sent x0 itself.
        """
        return isinstance(self.reading, TallyBits)

    @property
    def due(self) -> Kind:
        """The kind of frame with which a station answers a round."""
        if self.bits is None:
            return self.rows
        return Kind.TALLY if self.follows else Kind.SIDES
