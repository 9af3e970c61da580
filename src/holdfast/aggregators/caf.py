from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.distances import centred_products
from holdfast.aggregators.families import Weighted
from holdfast.aggregators.requirements import Declared, require_majority
from holdfast.typing import Distances, Rows, Vector


@dataclass(frozen=True)
class Caf(Declared, Weighted):
    """A weighted mean: rows far out along the direction of largest variance lose weight, until the variance is least.

    Allouah, Guerraoui and Stephan (2025), covariance bound-agnostic filter. From c_i = 1, with mu and Sigma the mean
    and covariance under the weights c, v the eigenvector of Sigma's largest eigenvalue and tau_i = <v, x_i - mu>^2,

        c_i <- c_i (1 - tau_i / max_j tau_j)    until sum_i c_i <= n - 2 byzantine;

    the result is the mu with the least largest eigenvalue that was seen. Eigenvectors are exact, from an n x n matrix
    of inner products about a central row; where an eigenvalue has several, LAPACK's last is taken. With byzantine = 0
    it is the mean. A row with NaN or an infinity, or so far that its square is above 1e300, starts with c_i = 0.

    While at most `byzantine` of n > 4 byzantine rows lie, the result is within
    sqrt(2 byzantine lambda / (n - 3 byzantine)) (1 + sqrt((n - byzantine) / (n - 4 byzantine))) of the honest mean,
    with lambda the largest eigenvalue of the honest rows' covariance: as long as the variance is above
    2 (n - byzantine) / (n - 4 byzantine) lambda, honest rows lose less weight than the others. With fewer rows it
    computes the same and claims nothing. `byzantine=None`: the run tells.

    >>> Caf(byzantine=1)(np.array([[0.0], [1.0], [2.0], [3.0], [99.0]])).round(3)
    array([1.509])
    """

    cites: ClassVar[tuple[str, ...]] = ("allouah2025towards",)
    needs: ClassVar[tuple[int, int]] = (4, 1)

    def weights(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_majority(self, len(rows))
        products, near = centred_products(rows)
        c = np.ones(len(near))
        best, least = c, np.inf
        while c.sum() > n - 2 * byzantine:
            variance, tau = _spread(products, c)
            if variance < least:
                best, least = c, variance
            if not tau.max() > 0:  # what is left agrees
                break
            c = c * (1 - tau / tau.max())
        weights = np.zeros(n)
        weights[near] = best / best.sum()
        return weights


def _spread(products: Distances, c: Vector) -> tuple[float, Vector]:
    """Return the largest eigenvalue of the covariance under weights c, and tau up to a factor; 0 where c is."""
    kept = c > 0
    G, share = products[np.ix_(kept, kept)], c[kept] / c.sum()
    unit = float(np.abs(G).max()) or 1.0  # so that squares of what may be 1e300 do not overflow
    K = G / unit
    inner = K @ share
    K = K - inner - inner[:, np.newaxis] + share @ inner
    root = np.sqrt(share)
    values, vectors = np.linalg.eigh(root[:, np.newaxis] * K * root)
    tau = np.zeros(len(c))
    tau[kept] = (K @ (root * vectors[:, -1])) ** 2
    return unit * float(values[-1]), tau
