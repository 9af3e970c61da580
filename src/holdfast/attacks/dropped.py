from dataclasses import dataclass

import numpy as np

from holdfast.attacks.base import LocalAttack, LocalView
from holdfast.typing import Rows


@dataclass(frozen=True)
class Dropped(LocalAttack):
    """Send what pulls the master nowhere: the master's own model, or a gradient of 0, as of a reply that was lost.

    >>> Dropped()(LocalView(np.ones((2, 1)), np.array([5.0]), np.array([3, 4]), 0, 0))
    array([[5.], [5.]])
    """

    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        return np.broadcast_to(view.neutral.astype(view.own.dtype), view.own.shape)
