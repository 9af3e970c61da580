"""What the master's process and every station must agree on."""

from dataclasses import dataclass
from typing import Any

from holdfast.engines.adversary import Adversary
from holdfast.engines.participation import Participation
from holdfast.engines.wire import Kind
from holdfast.methods.base import Reading
from holdfast.onebit import TallyBits
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
    def tally(self) -> TallyBits | None:
        """What counts bits at a station, if they are counted there.

        Colluding workers must see every honest row, and do so in the master's process: then rows are sent.
        """
        return self.reading if isinstance(self.reading, TallyBits) and not self.adversary.colludes else None

    @property
    def follows(self) -> bool:
        """Whether the master reads tallies, so that stations can follow its model."""
        return isinstance(self.reading, TallyBits)

    @property
    def due(self) -> Kind:
        """The kind of frame with which a station answers a round."""
        return self.rows if self.tally is None else Kind.TALLY
