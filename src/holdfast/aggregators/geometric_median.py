from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import Weighted
from holdfast.aggregators.options import require_positive, require_whole
from holdfast.typing import Distances, Rows, Vector

Reason = Literal["at a row", "converged", "iteration limit"]


class Solution(NamedTuple):
    """Weights of the rows, and how the solver ended."""

    weights: Vector
    iterations: int
    reason: Reason


@dataclass(frozen=True)
class GeometricMedian(Weighted):
    """The point whose distances to the rows have the least sum, by Weiszfeld's iteration.

    Weiszfeld (1937), started below every row as Vardi and Zhang (2000) do, so that it never divides by 0,
    with steps that are stretched where he would creep. It ends when a step of his is shorter than
    `tolerance` times the median distance to the rows, or where a row itself is proved optimal. All of it
    happens on an n x n matrix: with G the inner products of the rows about one of them, weights w that sum
    to 1 and z = sum_i w_i v_i,

        |z - v_j|^2 = w'Gw - 2 (Gw)_j + G_jj.

    A row with NaN or an infinity, or so far that its square overflows, gets weight 0. While q < n / 2
    rows lie, the result is within 2 (n - q) / (n - 2 q) of the honest rows' largest distance from their mean
    (Minsker, 2015, Lemma 2.1). Where it is not unique (rows on a line), it is one of the minimisers.

    >>> GeometricMedian()(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])).round(6)
    array([1., 1.])
    """

    tolerance: float = 1e-7
    iterations: int = 1000

    def __post_init__(self) -> None:
        require_positive(self, "tolerance")
        require_whole(self, "iterations", least=1)

    def weights(self, rows: Rows) -> Vector:
        return self.solve(rows).weights

    def solve(self, rows: Rows) -> Solution:
        """Return the weights and how the iteration ended."""
        products = _about_a_central_row(rows)
        finite = np.isfinite(products.diagonal())  # what overflows is left out
        if finite.all():
            return self._solve(products)
        if not finite.any():  # beyond any guarantee; a row that is not finite will show
            return Solution(np.eye(len(rows))[0], 0, "at a row")
        weights = np.zeros(len(rows))
        inner = self._solve(products[np.ix_(finite, finite)])
        weights[finite] = inner.weights
        return inner._replace(weights=weights)

    def _solve(self, G: Distances) -> Solution:
        start, G, optimal = kernels.below_every_row(G)
        if optimal:
            return Solution(start, 0, "at a row")
        weights, steps = kernels.weiszfeld(G, start, self.tolerance, self.iterations)
        if steps is None:
            return Solution(weights, self.iterations, "iteration limit")
        return Solution(weights, steps, "converged")


def _about_a_central_row(rows: Rows) -> Distances:
    """Return the inner products of the rows about one that is near to most of them.

    About a row that lies far away, float64 would lose the distances between the others. The row is chosen
    by a sample of the coordinates; whoever guesses the sample can only make it be chosen again, by all of them.
    """
    products = kernels.inner_products(rows, rows[_most_central(kernels.sampled_distances(rows))])
    if _is_far_off(products):
        products = kernels.inner_products(rows, rows[_most_central(kernels.squared_distances(rows))])
    return products


def _most_central(distances: Distances) -> int:
    """Return the row to which just more than half of the rows, itself included, are nearest."""
    return int(np.sort(distances, axis=1)[:, len(distances) // 2].argmin())


def _is_far_off(products: Distances) -> bool:
    """Return whether just more than half of the rows are ten times as near to another row as to the centre."""
    most = len(products) // 2
    reach = np.sort(products.diagonal())[most]  # NaN comes last: it is far
    return not np.isfinite(reach) or kernels.largest_crowd(products, 0.01 * reach) > most
