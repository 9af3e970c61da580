"""Attacks that shift the honest mean, or reverse it."""

from dataclasses import dataclass
from math import floor

import numpy as np

from holdfast.attacks.line_search import Line, LineAttack
from holdfast.attacks.threats import ColludingAttack, FullView, honest_mean
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Alie(LineAttack):
    """Send the honest mean less z standard deviations: a little is enough (Baruch et al., NeurIPS 2019).

        mu - z sigma,    Phi(z) = (n - f - s) / (n - f),    s = floor(n / 2 + 1) - f

    mu and sigma (n - 1 in its denominator) are of the honest messages in each coordinate; s honest workers lie beyond
    the message, which makes a majority with the f Byzantine ones. n and f are of this round; `z` overrides the formula.
    Where it has no finite answer (a round with a Byzantine majority, or n = 2), the share is kept half a worker off 0
    and 1. A run whose workers are mostly Byzantine is refused without a `z`. With
    `search=line`, z is what harms the master's rule most in this round, of `evaluations` tries on either side of mu, as
    far as the rule can be asked (`view.aggregate`). ByzFL's is `z=-1,search=upward,evaluations=20`.
    Models and gradients alike: neither mu nor sigma depends on where 0 is.

    >>> view = FullView.of([[1.0], [2.0], [3.0]])
    >>> Alie(z=1.5)(view)
    array([[0.5]])
    """

    cites = ("baruch2019little",)

    z: float | None = None

    def check_counts(self, workers: int, byzantine: int) -> None:
        if self.z is None and 2 * byzantine > workers:
            raise InvalidInput(
                f"alie finds its z where at most half of the workers are Byzantine, else give one, such as alie:z=1; "
                f"got {byzantine} of {workers}"
            )

    def line(self, view: FullView) -> tuple[Line, float]:
        """Return the message for each z, and z as given or by the formula."""
        mean, spread = honest_mean(view), deviation(view)
        z = largest_z(len(view.honest) + len(view.workers), len(view.workers)) if self.z is None else self.z
        return lambda factor: mean - factor * spread, z


def largest_z(n: int, f: int) -> float:
    """Return the z of the formula.

    >>> round(largest_z(20, 8), 3), round(largest_z(50, 24), 3)
    (0.674, 1.426)
    """
    from statistics import NormalDist

    honest, supporters = n - f, floor(n / 2 + 1) - f
    share = (honest - supporters) / honest
    return NormalDist().inv_cdf(min(max(share, 0.5 / honest), 1 - 0.5 / honest))


def deviation(view: FullView) -> Vector:
    """Return the standard deviation of the honest messages, with n - 1 in its denominator; 0 of one message."""
    if len(view.honest) == 1:
        return np.zeros(view.honest.shape[1])
    spread: Vector = view.honest.std(axis=0, ddof=1, dtype=np.float64)
    return spread


@dataclass(frozen=True)
class NegativeSum(ColludingAttack):
    """Make the sum of all messages null (attack a2 of the paper).

    With several Byzantine workers each sends an equal part of minus the honest workers' sum.
    """

    cites = ("li2019rsa",)

    def __call__(self, view: FullView, /) -> Rows:
        part = -view.honest.sum(axis=0) / len(view.own)
        return np.broadcast_to(part, view.own.shape)


@dataclass(frozen=True)
class InnerProduct(LineAttack):
    """Send the honest mean turned round and scaled: inner-product manipulation (Xie et al., UAI 2019).

        neutral - scale (mu - neutral)

    Gradients have neutral = 0, so that this is -scale mu, there with 0.1: it turns the inner product of a mean-like
    aggregate and the true gradient negative while it is short enough to pass for honest. Models are turned round at the
    master's. With `search=line`, the scale is what harms the master's rule most in this round, of `evaluations` tries
    of either sign, as far as the rule can be asked (`view.aggregate`). ByzFL's is `search=upward,evaluations=20`.

    >>> view = FullView.of([[1.0], [2.0], [3.0]])
    >>> InnerProduct()(view)
    array([[-0.2]])
    """

    cites = ("xie2019fall",)

    scale: float = 0.1

    def line(self, view: FullView) -> tuple[Line, float]:
        """Return the message for each scale, and the scale as given."""
        away = honest_mean(view) - view.neutral
        return lambda factor: view.neutral - factor * away, self.scale
