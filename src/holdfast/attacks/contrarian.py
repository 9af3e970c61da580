from dataclasses import dataclass

import numpy as np

from holdfast.attacks.base import ColludingAttack, FullView
from holdfast.typing import Rows


@dataclass(frozen=True)
class Contrarian(ColludingAttack):
    """Stand on the other side of the master than most honest workers, coordinate by coordinate.

    The strongest vote against l1-RSA, which counts signs only. To look ordinary, the Byzantine workers
    stand no farther from the master than the farthest honest worker. Gradients are read against 0.
    """

    def __call__(self, view: FullView, /) -> Rows:
        offsets = view.honest - view.neutral
        majority = np.sign(np.sign(offsets).sum(axis=0))
        farthest = np.abs(offsets).max(axis=0)
        return np.broadcast_to(view.neutral - majority * farthest, view.own.shape)
