from dataclasses import dataclass

import numpy as np

from holdfast.aggregators.families import CoordinateWise
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Median(CoordinateWise):
    """The middle value of every coordinate; the mean of the two middle ones when n is even.

    Yin et al. (2018), Definition 1; Xie et al. (2018). NaN counts as +infinity. While fewer than half of
    the rows lie, every coordinate stays between two honest values.

    >>> Median()(np.array([[0.0], [1.0], [np.nan]]))
    array([1.])
    """

    def columns(self, rows: Rows) -> Vector:
        n = len(rows)
        middle = [(n - 1) // 2, n // 2]
        # NaN is sorted last, behind +inf
        low, high = np.partition(rows, middle, axis=0)[middle]
        with np.errstate(over="ignore", invalid="ignore"):
            median: Vector = low if middle[0] == middle[1] else (low + high) / 2
        return median
