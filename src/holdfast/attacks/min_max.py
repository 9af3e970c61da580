from dataclasses import dataclass

import numpy as np

from holdfast import kernels
from holdfast.attacks.base import ColludingAttack, FullView, alike, honest_mean
from holdfast.attacks.perturbations import Perturbation, perturbation
from holdfast.typing import Rows


@dataclass(frozen=True)
class MinMax(ColludingAttack):
    """Leave the honest mean as far as no honest message gets farther away than two honest ones are apart.

    Shejwalkar and Houmansadr (NDSS 2021): mu - gamma p with the largest gamma for which

        max_i |mu - gamma p - x_i| <= D = max_ij |x_i - x_j|,    p = unit mean, std or sign.

    Squared, constraint i is gamma^2 |p|^2 - 2 gamma <p, mu - x_i> + |mu - x_i|^2 - D^2 <= 0. It holds at gamma = 0, as
    mu is the mean of all x_j, so from there on up to its larger root; gamma is the least of these roots, in closed
    form (docs/attacks.md), where the authors bisect. p of 0 leaves mu.

    >>> view = FullView.of([[1.0], [2.0], [6.0]])
    >>> MinMax()(view)
    array([[1.]])
    """

    cites = ("shejwalkar2021manipulating",)

    direction: Perturbation = "unit"

    def __call__(self, view: FullView, /) -> Rows:
        mean, p = honest_mean(view), perturbation(self.direction, view)
        square = p @ p
        if not square > 0:
            return alike(mean, view)
        honest = view.honest.astype(np.float64)
        away = mean - honest
        # clamp: rounding can put mu farther from a message than all others are
        room = np.maximum(kernels.squared_distances(honest).max() - np.sum(away * away, axis=1), 0)
        along = away @ p
        root = np.sqrt(along * along + square * room)
        with np.errstate(divide="ignore", invalid="ignore"):  # of two forms of the root the one that does not cancel
            gammas = np.where(along >= 0, (along + root) / square, room / (root - along))
        return alike(mean - gammas.min() * p, view)
