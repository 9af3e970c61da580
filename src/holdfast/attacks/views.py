"""What an attacker knows. The type of an attack's argument is its threat model."""

from dataclasses import dataclass, field

import numpy as np

from holdfast.typing import Rows, Vector, Workers


@dataclass(frozen=True)
class LocalView:
    """What compromised workers know by themselves, a row each."""

    own: Rows
    """The messages they would send if they were regular."""
    neutral: Vector
    """The message that pulls the master nowhere: its model if messages are models, 0 if gradients."""
    workers: Workers
    """Their numbers."""
    round: int
    seed: int


@dataclass(frozen=True)
class FullView(LocalView):
    """What the paper's omniscient, colluding adversary knows: also all that regular workers send."""

    honest: Rows
    """The messages of the regular workers."""
    regular: Workers
    """The numbers of these regular workers."""
    absent: Workers = field(default_factory=lambda: np.empty(0, np.int64))
    """The numbers of the regular workers that are not heard in this round."""
