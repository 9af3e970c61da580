"""What the master's process and every station must agree on."""

from dataclasses import dataclass

from holdfast.engines.adversary import Adversary
from holdfast.engines.participation import Participation
from holdfast.engines.wire import Kind
from holdfast.methods import Program


@dataclass(frozen=True)
class Agreement:
    """The program, which workers are Byzantine, which are asked, and what kind of numbers rows are."""

    program: Program
    adversary: Adversary
    participation: Participation
    rows: Kind = Kind.MODEL
    """MODEL or GRADIENT."""

    @property
    def follows(self) -> bool:
        """Whether the master reads tallies, so that stations can follow its model.

        One that reads the bits of single workers may weigh them differently: no count tells where it goes, so
        stations are sent x0 itself.
        """
        return self.program.counts

    @property
    def due(self) -> Kind:
        """The kind of frame with which a station answers a round.

        Colluding workers must see every honest answer, and do so in the master's process: then rows are sent.
        """
        if self.adversary.colludes or not self.program.sends_bits:
            return self.rows
        return Kind.TALLY if self.follows else Kind.SIDES
