"""What several seeds tell: an interval around a mean, and whether two methods differ."""

from collections.abc import Sequence
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import t

FEW = 5
"""With fewer seeds the least and the most are shown: an interval by Student's t would be wider than what can be."""


class Interval(NamedTuple):
    """A mean over seeds with its 95 % interval by Student's t, or with the least and the most of a few seeds.

    Both ends are NaN with one seed. The interval stays within what the score can be.
    """

    mean: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float], least: float = -inf, most: float = inf) -> "Interval":
        """Return the interval of a mean of values between `least` and `most`.

        >>> Interval.of([0.5, 0.75])
        Interval(mean=0.625, low=0.5, high=0.75)
        """
        mean = float(np.mean(values))
        if len(values) < 2:
            return Interval(mean, nan, nan)
        if len(values) < FEW:
            return Interval(mean, float(min(values)), float(max(values)))
        half = _half_width(values)
        return Interval(mean, max(mean - half, least), min(mean + half, most))

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if np.isnan(self.low) else f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def differ(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two methods differ by more than noise: 0 is outside the 95 % interval of their differences.

    Values are paired by seed. Of one pair no noise is known: it differs unless it is equal.

    >>> differ([0.964, 0.970, 0.958], [0.962, 0.958, 0.966]), differ([0.9, 0.8, 0.7], [0.8, 0.71, 0.6])
    (False, True)
    """
    differences = np.subtract(one, other)
    if len(differences) < 2:
        return bool(differences.any())
    return bool(abs(differences.mean()) > _half_width(differences.tolist()))


def _half_width(values: Sequence[float]) -> float:
    n = len(values)
    return float(t.ppf(0.975, n - 1)) * float(np.std(values, ddof=1)) / sqrt(n)
