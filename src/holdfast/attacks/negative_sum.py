from dataclasses import dataclass

import numpy as np

from holdfast.attacks.base import ColludingAttack, FullView
from holdfast.typing import Rows


@dataclass(frozen=True)
class NegativeSum(ColludingAttack):
    """Make the sum of all messages null (attack a2 of the paper).

    With several Byzantine workers each sends an equal part of minus the honest workers' sum.
    """

    cites = ("li2019rsa",)

    def __call__(self, view: FullView, /) -> Rows:
        part = -view.honest.sum(axis=0) / len(view.own)
        return np.broadcast_to(part, view.own.shape)
