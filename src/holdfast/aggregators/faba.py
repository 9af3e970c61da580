from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import Weighted
from holdfast.aggregators.requirements import Declared, require_majority
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Faba(Declared, Weighted):
    """The mean of what is left after dropping, `byzantine` times, the row farthest from the mean of the rest.

    Xia et al. (2019). Of the rows S that are left, the one farthest from their mean is the one with the
    largest sum of squared distances to the others, since

        |x_i - mean|^2 = 1/|S| sum_{j in S} |x_i - x_j|^2 - 1/(2 |S|^2) sum_{j, k in S} |x_j - x_k|^2;

    of tied rows the first is dropped. A row with NaN or an infinity is infinitely far away, so it is dropped first.
    While at most `byzantine` of n > 2 byzantine rows lie, the result is within
    1 + 2 n byzantine / ((n - byzantine) (n - 2 byzantine)) of the honest rows' largest distance from their mean: when
    an honest row is dropped for the first time, no lie is farther from the mean of all, and lies are a minority.
    `byzantine=None`: the run tells.

    >>> Faba(byzantine=1)(np.array([[0.0], [1.0], [5.0], [np.nan]]))
    array([2.])
    """

    cites: ClassVar[tuple[str, ...]] = ("xia2019faba",)

    def weights(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_majority(self, len(rows))
        distances, left = squared_distances(rows), np.arange(n)
        for _ in range(byzantine):
            among = distances[np.ix_(left, left)]
            infinite = np.isinf(among).sum(axis=1)
            mean = np.where(np.isinf(among), 0, among / len(left)).sum(axis=1)  # divided first: a sum could overflow
            left = np.delete(left, np.lexsort((-left, mean, infinite))[-1])
        weights = np.zeros(n)
        weights[left] = 1 / len(left)
        return weights
