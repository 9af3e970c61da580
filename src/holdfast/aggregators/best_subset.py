"""Means of the n - byzantine rows that agree best, by an exact search through all subsets."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.distances import centred_products, squared_distances
from holdfast.aggregators.families import Weighted
from holdfast.aggregators.requirements import Declared, require_few_subsets, require_majority
from holdfast.typing import Rows, Vector

SUBSETS = 2_000_000
"""How many subsets are searched through at most: 10 of 22 rows, or 6 of 35, may lie."""


@dataclass(frozen=True)
class MinimumDiameter(Declared, Weighted):
    """The mean of the n - byzantine rows whose largest mutual distance is least.

    El Mhamdi et al. (2020), "Genuinely distributed Byzantine machine learning", there called MDA; Rousseeuw (1985):

        mean of the rows in argmin over |S| = n - byzantine of max_{i, j in S} |v_i - v_j|,

    of tied sets that with the least sum of squared distances, then the first in lexicographic order. The search is
    exact: it goes through all subsets, except those with a pair too far apart. Above 2,000,000 subsets it is
    refused, since it takes time exponential in `byzantine`. A row with NaN or an infinity is infinitely far from every
    other, so it is left out while at most `byzantine` rows hold any. While at most `byzantine` of
    n > 2 byzantine rows lie, the result is within 2 byzantine / (n - byzantine) honest diameters of the honest mean:
    whichever of them are in the set share a row with the honest ones. `byzantine=None`: the run tells.

    >>> MinimumDiameter(byzantine=1)(np.array([[0.0], [2.0], [4.0], [np.inf]]))
    array([2.])
    """

    cites: ClassVar[tuple[str, ...]] = ("elmhamdi2020genuinely", "rousseeuw1985multivariate")

    def weights(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_majority(self, len(rows))
        require_few_subsets(self, n, byzantine, SUBSETS)
        weights = np.zeros(n)
        weights[kernels.least_diameter(squared_distances(rows), n - byzantine)] = 1 / (n - byzantine)
        return weights


@dataclass(frozen=True)
class Smea(Declared, Weighted):
    """The mean of the n - byzantine rows whose covariance has the least largest eigenvalue.

    Allouah et al. (2023), "On the privacy-robustness-utility trilemma", smallest maximum eigenvalue averaging:

        mean of the rows in argmin over |S| = n - byzantine of lambda_max(1 / |S| sum_{i in S} (v_i - v_S)(v_i - v_S)'),

    exact and without chance: the eigenvalues other than 0 are those of an n x n matrix of inner products about a
    central row, and a set is given up as soon as a part of it has too large an eigenvalue, which no further row makes
    smaller. Above 2,000,000 subsets it is refused, since the search takes time exponential in `byzantine`.

    A row with NaN or an infinity, or so far that its square is above 1e300, gets weight 0 while at most `byzantine`
    rows are so. While at most `byzantine` of n > 2 byzantine rows lie, the result is within
    2 sqrt(byzantine / (n - 2 byzantine) lambda) of the honest mean, with lambda the largest eigenvalue of the honest
    rows' covariance: a share p of a set has its mean within sqrt((1 - p) / p lambda) of the set's, and the set has a
    share of at least (n - 2 byzantine) / (n - byzantine) in common with the honest rows. `byzantine=None`: the run
    tells.

    >>> Smea(byzantine=1)(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [9.0, 9.0]]))
    array([1., 1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("allouah2023trilemma",)

    def weights(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_majority(self, len(rows))
        require_few_subsets(self, n, byzantine, SUBSETS)
        products, near = centred_products(rows)
        size = min(n - byzantine, len(near))  # fewer only where more than `byzantine` rows are infinitely far
        weights = np.zeros(n)
        weights[near[kernels.least_eigenvalue(products, size)]] = 1 / size
        return weights
