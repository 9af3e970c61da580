from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from holdfast import kernels
from holdfast.aggregators.distances import most_central
from holdfast.aggregators.families import Weighted
from holdfast.aggregators.requirements import require_positive, require_whole
from holdfast.aggregators.weighing import Weights
from holdfast.typing import Distances, Rows, Vector

FAR = 1e8
"""Distances, in units of the one within which just more than half of the rows are, that are too far to tell apart."""

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

    A row with NaN or an infinity, or so far that its square overflows, gets weight 0; one 1e8 times as far
    as half of the others counts as one at that distance, in the same direction. While q < n / 2
    rows lie, the result is within 2 (n - q) / (n - 2 q) of the honest rows' largest distance from their mean
    (Minsker, 2015, Lemma 2.1). Where it is not unique (rows on a line), it is one of the minimisers.

    >>> GeometricMedian()(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])).round(6)
    array([1., 1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("weiszfeld1937point", "vardi2000multivariate", "minsker2015geometric")
    tolerance: float = 1e-7
    iterations: int = 1000

    def __post_init__(self) -> None:
        require_positive(self, "tolerance")
        require_whole(self, "iterations", least=1)

    def weights(self, rows: Rows) -> Vector:
        return self.solve(rows).weights

    def weigh(self, rows: Rows, weights: Weights) -> Vector:
        """Return the point with the least sum of w_i times the distance to row i, by the same iteration."""
        return kernels.combination(self.solve(rows, weights).weights, rows)

    def solve(self, rows: Rows, given: Weights | None = None) -> Solution:
        """Return the weights and how the iteration ended; rows count by those that are given, else equally."""
        products = _centre_products(rows)
        finite = np.isfinite(products.diagonal())  # what overflows is left out
        if not finite.any():  # beyond any guarantee; a row that is not finite will show
            return Solution(np.eye(len(rows))[0], 0, "at a row")
        nearer = _find_factors(products.diagonal(), given)[finite]
        G = nearer[:, np.newaxis] * products[np.ix_(finite, finite)] * nearer
        found = self._solve(G, None if given is None else given[finite])
        weights = np.zeros(len(rows))
        weights[finite] = nearer * found.weights
        weights[np.nanargmin(products.diagonal())] += (1 - nearer) @ found.weights  # the central row's
        return found._replace(weights=weights)

    def _solve(self, G: Distances, given: Weights | None) -> Solution:
        start, G, optimal = kernels.below_every_row(G, given)
        if optimal:
            return Solution(start, 0, "at a row")
        weights, steps = kernels.weiszfeld(G, start, self.tolerance, self.iterations, given)
        if steps is None:
            return Solution(weights, self.iterations, "iteration limit")
        return Solution(weights, steps, "converged")


def _centre_products(rows: Rows) -> Distances:
    """Return the inner products of the rows about one that is near to most of them.

    About a row that lies far away, float64 would lose the distances between the others. The row is chosen
    by a sample of the coordinates. An attacker that guesses the sample only causes a second choice, by all coordinates.
    """
    products = kernels.inner_products(rows, rows[most_central(kernels.sampled_distances(rows))])
    if _is_far_off(products):
        products = kernels.inner_products(rows, rows[most_central(kernels.squared_distances(rows))])
    return products


def _find_factors(squares: Vector, given: Weights | None) -> Vector:
    """Return by which factors to shorten the rows' differences to the central row, 1 for most.

    A row counts by its direction alone, and at FAR times the reach that is known to 1 / FAR. Beside rows
    that are farther still, float64 would lose the sums of the others' distances, and the median with them.
    """
    lengths, nearer = np.sqrt(squares), np.ones(len(squares))
    limit = FAR * lengths[_find_majority_row(lengths, given)]  # NaN comes last: it is far
    far = lengths > limit
    nearer[far] = limit / lengths[far]
    return nearer


def _find_majority_row(lengths: Vector, given: Weights | None) -> int:
    """Return the row up to which, from the shortest on, just more than half of all count."""
    order = np.argsort(lengths, kind="stable")
    if given is None:
        return int(order[len(lengths) // 2])
    sums = np.cumsum(given[order])
    return int(order[np.argmax(sums > sums[-1] / 2)])


def _is_far_off(products: Distances) -> bool:
    """Return whether just more than half of the rows are ten times as near to another row as to the centre."""
    most = len(products) // 2
    reach = np.sort(products.diagonal())[most]  # NaN comes last: it is far
    return not np.isfinite(reach) or kernels.largest_crowd(products, 0.01 * reach) > most
