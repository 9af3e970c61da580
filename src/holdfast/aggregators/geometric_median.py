from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from holdfast.aggregators.families import Weighted
from holdfast.errors import InvalidInput
from holdfast.typing import Distances, Vector

FARTHEST = 1e7
"""Rows beyond this many times the typical distance are left out: float64 cannot resolve the others then."""

Reason = Literal["at a row", "converged", "iteration limit"]


class Solution(NamedTuple):
    """Weights of the rows, and how the solver ended."""

    weights: Vector
    iterations: int
    reason: Reason


@dataclass(frozen=True)
class GeometricMedian(Weighted):
    """The point whose distances to the rows have the least sum, by Weiszfeld's iteration.

    Weiszfeld (1937), started below every row as Vardi and Zhang (2000) do, so that it never divides by 0.
    It ends when a step is shorter than `tolerance` times the mean distance to the rows, or where a row
    itself is proved optimal. All of it happens on the n x n matrix D of squared distances: for weights
    that sum to 1 and z = sum_i w_i v_i,

        |z - v_j|^2 = (D w)_j - w'Dw / 2.

    A row with NaN or an infinity, or over 1e7 times as far as the median one, gets weight 0. While fewer
    than half of the rows lie, the result stays within a fixed multiple of the honest rows' spread. Where
    it is not unique (rows on a line), it is one of the minimisers.

    >>> GeometricMedian()(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])).round(6)
    array([1., 1.])
    """

    tolerance: float = 1e-7
    iterations: int = 1000

    def __post_init__(self) -> None:
        if not (self.tolerance > 0 and self.iterations >= 1):
            raise InvalidInput(f"GeometricMedian needs tolerance > 0 and iterations >= 1; got {self}")

    def weights(self, distances: Distances) -> Vector:
        return self.solve(distances).weights

    def solve(self, distances: Distances) -> Solution:
        """Return the weights and how the iteration ended."""
        near = _near(distances)
        weights = np.zeros(len(distances))
        inner = self._solve(distances[np.ix_(near, near)])
        weights[near] = inner.weights
        return inner._replace(weights=weights)

    def _solve(self, D: Distances) -> Solution:
        start, optimal = _below_every_row(D)
        if optimal:
            return Solution(start, 0, "at a row")
        w = start
        for iteration in range(1, self.iterations + 1):
            to_rows = _to_rows(D, w)
            pull = 1 / to_rows
            moved = pull / pull.sum()
            step = moved - w
            w = moved
            # |sum_i s_i v_i|^2 = -s'Ds / 2 for s that sums to 0; rounding can make it negative
            if max(-0.5 * step @ D @ step, 0.0) <= (self.tolerance * to_rows.mean()) ** 2:
                return Solution(w, iteration, "converged")
        return Solution(w, self.iterations, "iteration limit")


def _near(distances: Distances) -> Vector:
    """Return which rows are within reach of the row that is nearest to most of the others."""
    typical = np.sqrt(np.median(distances, axis=1))
    centre = np.argmin(typical)
    reach = FARTHEST * max(typical[centre], np.finfo(float).tiny)
    to_centre = np.sqrt(distances[centre])
    near: Vector = np.isfinite(to_centre) & (to_centre <= reach)
    return near


def _to_rows(D: Distances, w: Vector) -> Vector:
    """Return the distances from `sum_i w_i v_i` to the rows; rounding can make a square negative."""
    pairs = D @ w
    distances: Vector = np.sqrt(np.maximum(pairs - 0.5 * (w @ pairs), np.finfo(float).tiny))
    return distances


def _below_every_row(D: Distances) -> tuple[Vector, bool]:
    """Return weights of a point with a smaller sum than any row, or of the best row if it is optimal.

    If any row is the geometric median, it is the row r of the least sum. It is optimal when the unit
    vectors from it to the rows elsewhere add up to R with |R| at most the number of rows at r (Vardi and
    Zhang, 2000, eq. 2.7); otherwise their step from r leads below r, and so below every row.
    """
    n = len(D)
    best = int(np.argmin(np.sqrt(D).sum(axis=1)))
    at = np.zeros(n)
    at[best] = 1.0
    elsewhere = D[best] > 0
    if not elsewhere.any():
        return at, True
    pull = np.zeros(n)
    pull[elsewhere] = 1 / np.sqrt(D[best, elsewhere])
    towards = pull / pull.sum()
    length = pull.sum() * _to_rows(D, towards)[best]
    stay = (n - elsewhere.sum()) / length
    if stay >= 1:
        return at, True
    return stay * at + (1 - stay) * towards, False
