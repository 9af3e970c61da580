"""Sums over all pairs of rows, the geometric median's arithmetic on them, and the best subset of the rows."""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.calls import matching, module, plain, share
from holdfast.typing import Distances, Rows, Vector

SPAN = 1 << 16
"""Columns whose pair sums are added up apart, so that the result does not depend on the number of threads."""
PIECES, PIECE = 4, 128
"""A sample of the columns: so many pieces of so many neighbours, read where they lie."""


def squared_distances(rows: Rows) -> Distances:
    """Return |v_i - v_j|^2 for all pairs of `(n, d)` rows, in float64.

    From differences, not from a Gramian: with one row of size 1e4 a float32 Gramian has lost the distances between all
    others. Differences and squares have the rows' own precision, their sum is float64. A row that holds NaN or an
    infinity, or is so far that its square overflows, is infinitely far from every other, and at distance 0 from itself.

    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0], [np.nan, 0.0]]))
    array([[ 0., 25., inf],
           [25.,  0., inf],
           [inf, inf,  0.]])
    """
    return _pair_sums(rows, np.empty(0, rows.dtype), _starts(rows.shape[1]), SPAN)


def sampled_distances(rows: Rows) -> Distances:
    """Return the squared distances over a sample of the columns, cheap however many there are."""
    d = rows.shape[1]
    if d <= PIECES * PIECE:
        return squared_distances(rows)
    return _pair_sums(rows, np.empty(0, rows.dtype), _sampled_starts(d), PIECE)


def inner_products(rows: Rows, centre: Vector) -> Distances:
    """Return <v_i - centre, v_j - centre> for all pairs, added up in float64."""
    return _pair_sums(rows, matching(centre, rows), _starts(rows.shape[1]), SPAN)


@lru_cache
def _starts(d: int) -> NDArray[np.int64]:
    return np.arange(0, d, SPAN)


@lru_cache
def _sampled_starts(d: int) -> NDArray[np.int64]:
    """Return where the pieces begin that lie in the middles of as many equal parts of d columns."""
    return (2 * np.arange(PIECES) + 1) * d // (2 * PIECES) - PIECE // 2


def _pair_sums(rows: Rows, centre: Vector, starts: NDArray[np.int64], width: int) -> Distances:
    rows = plain(rows)
    n, spans = len(rows), len(starts)
    padded = (n + 3) // 4 * 4
    sums = np.zeros((spans, padded, padded))
    kernels = module("pairs")
    work = partial(kernels.add_spans, rows, centre, starts, width, sums)
    share(work, spans, n * min(spans * width, rows.shape[1]), grain=1)
    out: Distances = np.empty((n, n))
    kernels.fold(sums, len(centre) == 0, out)
    return out


def largest_crowd(G: Distances, within: float) -> int:
    """Return the size of the largest group of rows within `within` (squared) of one row, that row included."""
    crowd: int = module("weiszfeld").largest_crowd(plain(G), within)
    return crowd


def below_every_row(G: Distances, given: Vector | None = None) -> tuple[Vector, Distances, bool]:
    """Return weights of a point with a smaller sum of distances than any row, or of the best row if it is optimal.

    G holds the inner products of the rows about any centre; row i counts `given[i]` times, once if none are given.
    Also returned: the products about the best row, precise for points near to it, and whether that row is optimal.
    """
    G = plain(G)
    weights, about = np.empty(len(G)), np.empty(G.shape)
    optimal = module("weiszfeld").below_every_row(G, _counts(G, given), about, weights)
    return weights, about, optimal


def weiszfeld(
    G: Distances, start: Vector, tolerance: float, limit: int, given: Vector | None = None
) -> tuple[Vector, int | None]:
    """Return the weights that Weiszfeld's iteration ends at, and after how many steps; None past the limit.

    It ends when a step is shorter than `tolerance` times the median distance to the rows. Row i counts
    `given[i]` times, once if none are given.
    """
    if G.shape != 2 * start.shape:
        raise InvalidInput(f"inner products must have shape {2 * start.shape}; got {G.shape}")
    weights = start.copy()
    steps = module("weiszfeld").descend(plain(G), _counts(G, given), weights, tolerance, limit)
    return weights, None if steps < 0 else steps


def _counts(G: Distances, given: Vector | None) -> Vector:
    """Return how many times each row counts, in float64."""
    if given is None:
        return np.ones(len(G))
    if given.shape != G.shape[:1]:
        raise InvalidInput(f"rows must count by one number each, {G.shape[:1]}; got {given.shape}")
    return plain(given.astype(np.float64, copy=False))


def least_diameter(distances: Distances, size: int) -> NDArray[np.int64]:
    """Return the `size` rows whose largest distance is least; of tied sets that with the least sum, then the first."""
    return _best_subset(module("subsets").least_diameter, distances, size)


def least_eigenvalue(products: Distances, size: int) -> NDArray[np.int64]:
    """Return the `size` rows whose covariance has the least largest eigenvalue, from their inner products."""
    return _best_subset(module("subsets").least_eigenvalue, products, size)


def _best_subset(search: Callable[..., None], pairs: Distances, size: int) -> NDArray[np.int64]:
    pairs = plain(pairs)
    if pairs.shape != (len(pairs), len(pairs)) or not 1 <= size <= len(pairs):
        raise InvalidInput(f"a search needs n x n numbers and 1 to n of the rows; got {pairs.shape} and {size}")
    best = np.empty(size, np.int64)
    search(pairs, size, best)
    return best
