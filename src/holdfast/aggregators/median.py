from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.aggregators.weighing import Weights, sort_columns
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Median(CoordinateWise):
    """The middle value of every coordinate; the mean of the two middle ones when n is even.

    Yin et al. (2018), Definition 1; Xie et al. (2018). NaN counts as +infinity. While fewer than half of
    the rows lie, every coordinate stays between two honest values.

    >>> Median()(np.array([[0.0], [1.0], [np.nan]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("yin2018byzantine", "xie2018generalized")

    def columns(self, rows: Rows) -> Vector:
        n = len(rows)
        return kernels.mean_of_ranks(rows, range((n - 1) // 2, n // 2 + 1))

    def weigh(self, rows: Rows, weights: Weights) -> Vector:
        """Return the value at which half of the weight is reached; the mean with the next where it is exactly half.

        While Byzantine rows have less than half of the weight, it stays between two honest values.
        """
        values, sums = sort_columns(rows, weights)
        half, slack = sums[-1] / 2, 1e-12 * sums[-1]
        low = np.argmax(sums >= half - slack, axis=0)
        high = np.argmax(sums > half + slack, axis=0)
        lower, upper = (np.take_along_axis(values, at[np.newaxis], axis=0)[0] for at in (low, high))
        with np.errstate(over="ignore"):
            middle: Vector = np.where(lower == upper, lower, lower / 2 + upper / 2)
        return middle
