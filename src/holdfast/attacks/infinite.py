from dataclasses import dataclass

import numpy as np

from holdfast.attacks.base import LocalAttack, LocalView
from holdfast.attacks.same_value import everywhere
from holdfast.typing import Rows


@dataclass(frozen=True)
class Infinite(LocalAttack):
    """Send +infinity in every coordinate (attack a1 of the paper)."""

    cites = ("li2019rsa",)

    uses_own = False

    def __call__(self, view: LocalView, /) -> Rows:
        return everywhere(np.inf, view.own)
