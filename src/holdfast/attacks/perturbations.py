"""Where the attacks of Shejwalkar and Houmansadr (NDSS 2021) move the honest mean to."""

from typing import Literal

import numpy as np

from holdfast.attacks.alie import deviation
from holdfast.attacks.base import FullView, honest_mean
from holdfast.typing import Vector

Perturbation = Literal["unit", "std", "sign"]


def perturbation(kind: Perturbation, view: FullView) -> Vector:
    """Return p: the mean scaled to length 1, the standard deviations (n - 1), or the signs of the mean.

    The mean is taken from the neutral message: as it is for gradients, from the master's model for models. Length and
    signs of a null mean are 0.
    """
    if kind == "std":
        return deviation(view)
    away = honest_mean(view) - view.neutral
    if kind == "sign":
        signs: Vector = np.sign(away)
        return signs
    length = np.linalg.norm(away)
    unit: Vector = away / length if length > 0 else away
    return unit
