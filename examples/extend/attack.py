"""An attack of your own derives from LocalAttack, which sees its own row, or from ColludingAttack, which sees all."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import holdfast as hf


@dataclass(frozen=True)
class Backwards(hf.attacks.ColludingAttack):
    """Pull against the honest workers: minus `factor` times the mean of what they pull by.

    Xie, Koyejo and Gupta (2019), "Fall of empires". A message pulls by its difference to the neutral one.
    """

    factor: float = 0.5

    def __call__(self, view: hf.attacks.FullView, /) -> NDArray[np.floating]:
        pull = view.honest.mean(axis=0) - view.neutral
        return np.broadcast_to(view.neutral - self.factor * pull, view.own.shape)
