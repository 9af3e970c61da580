from dataclasses import dataclass
from typing import Literal

import numpy as np

from holdfast.attacks.base import ColludingAttack, FullView, alike, honest_mean
from holdfast.attacks.perturbations import Perturbation, perturbation
from holdfast.typing import Rows


@dataclass(frozen=True)
class MinSum(ColludingAttack):
    """Leave the honest mean as far as the squared distances to honest messages add up to no more than an honest one's.

    Shejwalkar and Houmansadr (NDSS 2021): mu - gamma p with the largest gamma for which

        sum_i |mu - gamma p - x_i|^2 <= S = max_i sum_j |x_i - x_j|^2,    p = unit mean, std or sign.

    The cross term vanishes, sum_i (mu - x_i) = 0, and of h messages S = sum_j |x_j - mu|^2 + h max_i |x_i - mu|^2. What
    remains is gamma |p| = max_i |x_i - mu| (docs/attacks.md): the message is as far from mu as the farthest honest one.
    The authors' program takes the least sum for S, `bound=min`: as far as the nearest. p of 0 leaves mu.

    >>> view = FullView.of([[1.0], [2.0], [6.0]])
    >>> MinSum()(view), MinSum(bound="min")(view)
    (array([[0.]]), array([[2.]]))
    """

    cites = ("shejwalkar2021manipulating",)

    direction: Perturbation = "unit"
    bound: Literal["max", "min"] = "max"

    def __call__(self, view: FullView, /) -> Rows:
        mean, p = honest_mean(view), perturbation(self.direction, view)
        length = np.linalg.norm(p)
        if not length > 0:
            return alike(mean, view)
        distances = np.linalg.norm(view.honest - mean, axis=1)
        reach = distances.max() if self.bound == "max" else distances.min()
        return alike(mean - reach / length * p, view)
