"""Attacks that leave the honest mean as far as distances or extremes of honest messages allow."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from holdfast import kernels
from holdfast.attacks.mean_shifts import deviation
from holdfast.attacks.threats import ColludingAttack, FullView, broadcast, honest_mean, unit
from holdfast.typing import Rows, Vector

Perturbation = Literal["unit", "std", "sign"]


def perturbation(kind: Perturbation, view: FullView) -> Vector:
    """Return p: the mean scaled to length 1, the standard deviations (n - 1), or the signs of the mean.

    The mean is taken from the neutral message: as it is for gradients, from the master's model for models. Length and
    signs of a null mean are 0.
    """
    if kind == "std":
        return deviation(view)
    away = honest_mean(view) - view.neutral
    return np.sign(away) if kind == "sign" else unit(away)


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
            return broadcast(mean, view)
        honest = view.honest.astype(np.float64)
        away = mean - honest
        # clamp: rounding can put mu farther from a message than all others are
        room = np.maximum(kernels.squared_distances(honest).max() - np.sum(away * away, axis=1), 0)
        along = away @ p
        root = np.sqrt(along * along + square * room)
        with np.errstate(divide="ignore", invalid="ignore"):  # of two forms of the root the one that does not cancel
            gammas = np.where(along >= 0, (along + root) / square, room / (root - along))
        return broadcast(mean - gammas.min() * p, view)


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
            return broadcast(mean, view)
        distances = np.linalg.norm(view.honest - mean, axis=1)
        reach = distances.max() if self.bound == "max" else distances.min()
        return broadcast(mean - reach / length * p, view)


@dataclass(frozen=True)
class TrimmedMeanAttack(ColludingAttack):
    """Send values just beyond the honest extreme, against the sign of their mean (Fang et al., USENIX Security 2020).

    In a coordinate with mean > 0 the message lies below the least honest value m: at m / b if m > 0, at b m if not;
    with mean < 0 above the largest, likewise. The full-knowledge attack on the trimmed mean, b = 2 there; the authors
    draw from between the extreme and that value, ours is the value itself. All is read from the neutral message: for
    models from the master's. A null mean is left alone.

    >>> view = FullView.of([[1.0], [2.0], [6.0]])
    >>> TrimmedMeanAttack()(view)
    array([[0.5]])
    """

    cites = ("fang2020local",)

    b: Annotated[float, Meta(ge=1)] = 2.0

    def __call__(self, view: FullView, /) -> Rows:
        side = np.sign(honest_mean(view) - view.neutral)
        against = -side * (view.honest - view.neutral)  # every coordinate turned so that beyond is up
        extreme = against.max(axis=0)
        beyond = np.where(extreme > 0, self.b * extreme, extreme / self.b)
        return broadcast(view.neutral - side * beyond, view)
