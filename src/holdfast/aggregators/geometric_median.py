from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from holdfast import kernels
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import Weighted
from holdfast.errors import InvalidInput
from holdfast.typing import Distances, Rows, Vector

SAMPLE = 4096
"""Coordinates by which a central row is chosen."""

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
    It ends when a step is shorter than `tolerance` times the median distance to the rows, or where a row
    itself is proved optimal. All of it happens on an n x n matrix: with G the inner products of the rows
    about one of them, weights w that sum to 1 and z = sum_i w_i v_i,

        |z - v_j|^2 = w'Gw - 2 (Gw)_j + G_jj.

    A row with NaN or an infinity, or so far that its square overflows, gets weight 0. While fewer than
    half of the rows lie, the result stays within a fixed multiple of the honest rows' spread. Where it is
    not unique (rows on a line), it is one of the minimisers.

    >>> GeometricMedian()(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])).round(6)
    array([1., 1.])
    """

    tolerance: float = 1e-7
    iterations: int = 1000

    def __post_init__(self) -> None:
        if not (self.tolerance > 0 and self.iterations >= 1):
            raise InvalidInput(f"GeometricMedian needs tolerance > 0 and iterations >= 1; got {self}")

    def weights(self, rows: Rows) -> Vector:
        return self.solve(rows).weights

    def solve(self, rows: Rows) -> Solution:
        """Return the weights and how the iteration ended."""
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is left out
            products = _about_a_central_row(rows)
            finite = np.isfinite(np.diag(products))
            if not finite.any():  # beyond any guarantee; a row that is not finite will show
                return Solution(np.eye(len(rows))[0], 0, "at a row")
            weights = np.zeros(len(rows))
            inner = self._solve(products[np.ix_(finite, finite)])
            weights[finite] = inner.weights
            return inner._replace(weights=weights)

    def _solve(self, G: Distances) -> Solution:
        start, optimal = _below_every_row(G)
        if optimal:
            return Solution(start, 0, "at a row")
        weights, steps = kernels.weiszfeld(G, start, self.tolerance, self.iterations)
        if steps is None:
            return Solution(weights, self.iterations, "iteration limit")
        return Solution(weights, steps, "converged")


def _about_a_central_row(rows: Rows) -> Distances:
    """Return the inner products of the rows about one that is near to most of them.

    About a row that lies far away, float64 would lose the distances between the others; so the row is
    chosen by a sample of the coordinates, and chosen again if the whole of them shows a far better one.
    """
    sample = np.ascontiguousarray(rows[:, :: -(-rows.shape[1] // SAMPLE)])
    order = np.argsort(_typical(squared_distances(sample)), kind="stable")
    centre = next((i for i in order if np.isfinite(rows[i].sum())), order[0])
    for _ in range(3):
        products = kernels.inner_products(rows, rows[centre])
        squares = np.diag(products)
        distances = squares[:, np.newaxis] + squares - 2 * products
        typical = _typical(distances)
        better = int(np.argmin(typical))
        if not typical[better] < 0.01 * typical[centre]:
            break
        centre = better
    return products


def _typical(distances: Distances) -> Vector:
    """Return for each row the distance that just more than half of the rows, itself included, keep from it."""
    typical: Vector = np.sort(distances, axis=1)[:, len(distances) // 2]  # NaN comes last: it is far
    return np.where(np.isnan(typical), np.inf, typical)


def _below_every_row(G: Distances) -> tuple[Vector, bool]:
    """Return weights of a point with a smaller sum than any row, or of the best row if it is optimal.

    If any row is the geometric median, it is the row r of the least sum. It is optimal when the unit
    vectors from it to the rows elsewhere add up to R with |R| at most the number of rows at r (Vardi and
    Zhang, 2000, eq. 2.7); otherwise their step from r leads below r, and so below every row.
    """
    n, squares = len(G), np.diag(G)
    D = np.maximum(squares[:, np.newaxis] + squares - 2 * G, 0.0)
    best = int(np.argmin(np.sqrt(D).sum(axis=1)))
    at = np.zeros(n)
    at[best] = 1.0
    elsewhere = D[best] > 0
    if not elsewhere.any():
        return at, True
    pull = np.zeros(n)
    pull[elsewhere] = 1 / np.sqrt(D[best, elsewhere])
    towards = pull / pull.sum()
    inner = G @ towards
    length = pull.sum() * np.sqrt(max(towards @ inner - 2 * inner[best] + squares[best], np.finfo(float).tiny))
    stay = (n - elsewhere.sum()) / length
    if stay >= 1:
        return at, True
    return stay * at + (1 - stay) * towards, False
