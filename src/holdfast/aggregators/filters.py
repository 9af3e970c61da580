"""Means without the rows that stand out: from the mean, or along the direction of largest variance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.aggregators.distances import centred_products, squared_distances
from holdfast.aggregators.families import Drawing, Equivariant, Weighted
from holdfast.aggregators.requirements import (
    Declared,
    require_declared,
    require_majority,
    require_positive,
    require_whole,
)
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Distances, Messages, Rows, Vector


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


MOST = 10_000
"""The number of coordinates in a draw if not given, as in the source."""


@dataclass(frozen=True)
class DnC(Declared, Drawing, Equivariant):
    """The mean of the rows that do not stand out along the direction of largest variance of randomly drawn coordinates.

    Shejwalkar and Houmansadr (2021), Algorithm 2, divide and conquer. `draws` times: draw `coordinates` of the d
    coordinates, all if there are no more; with X the rows there minus their mean and v its first right singular vector,
    drop the floor(fraction * byzantine) rows with the largest <v, x_i>^2. The result is the mean of the rows that no
    draw dropped; where there is none, of those dropped least often. Of rows as far out, the last are dropped.

    `coordinates=None` is 10,000, at most half of d. The source has models far larger than that; if all
    coordinates are drawn, all draws are the same, and a lie that one direction misses stays: one of eight normal ones
    in every sixth round or so (d = 650), which half of the coordinates never let pass.

    The coordinates are addressed by (seed, draw, round), so that every engine draws the same. A row with NaN or an
    infinity, or so long that its square overflows, is dropped first. It claims no bound: of lies far away in
    different directions only the farthest stands out in a draw, and what differs in coordinates that no draw has is not
    seen.
    `byzantine=None`: the run tells.

    >>> DnC(byzantine=1)(np.array([[0.0], [1.0], [2.0], [99.0]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("shejwalkar2021manipulating",)
    bounded: ClassVar[bool] = False
    coordinates: int | None = None
    draws: int = 5
    fraction: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self, "coordinates", least=1, optional=True)
        require_whole(self, "draws", least=1)
        require_positive(self, "fraction")

    def draw(self, messages: Messages) -> Vector:
        rows = messages.numbers
        n, dropped = len(rows), int(self.fraction * require_declared(self))
        if n <= dropped:
            raise InvalidInput(f"DnC needs n > fraction * byzantine; got n={n}, fraction * byzantine={dropped}")
        infinite, times = np.isinf(kernels.lengths(rows)), np.zeros(n)
        draws = self.draws if rows.shape[1] > self.draw_size(rows.shape[1]) else 1  # all are the same every time
        for draw in range(draws):
            scores = _outlyingness(rows.take(self.choose(messages, draw, rows.shape[1]), axis=1))
            scores[infinite] = np.inf
            times[np.argsort(scores, kind="stable")[n - dropped :]] += 1
            times[np.isinf(scores)] += draws  # beyond the declared number, too
        kept = times == times.min()
        return kernels.combination(kept / kept.sum(), rows)

    def draw_size(self, d: int) -> int:
        """Return how many of d coordinates a draw has."""
        return max(1, min(MOST, d // 2)) if self.coordinates is None else self.coordinates

    def choose(self, messages: Messages, draw: int, d: int) -> NDArray[np.int64]:
        """Return the coordinates of a draw: whole numbers below d, one after the other, that did not come before."""
        stream, wanted = Stream(messages.seed, "dnc"), self.draw_size(d)
        if d <= wanted:
            return np.arange(d)
        count = wanted + wanted**2 // d + 64  # about twice as many come again as there are expected to
        while True:
            drawn = stream.integers(np.array([draw]), messages.round, np.array([d]), count)[0]
            first = np.empty(d, np.int64)
            first[drawn[::-1]] = np.arange(count)[::-1]  # the last that is written stays
            new = drawn[first[drawn] == np.arange(count)]
            if len(new) >= wanted:
                return np.sort(new[:wanted])
            count *= 2


def _outlyingness(rows: Rows) -> Vector:
    """Return <v, x_i - mean>^2 up to a factor, infinite for rows infinitely far away."""
    products, near = centred_products(rows)
    inner = products.mean(axis=0)
    _, vectors = np.linalg.eigh(products - inner - inner[:, np.newaxis] + inner.mean())
    scores = np.full(len(rows), np.inf)
    scores[near] = vectors[:, -1] ** 2
    return scores
