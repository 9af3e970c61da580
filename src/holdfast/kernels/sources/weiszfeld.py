"""The geometric median on the inner products G of the rows: where to start, whether to end there, Weiszfeld's steps.

G is symmetric, so that G w is added up row by row: neighbours in memory, no sum waits for the one before.
"""

import numpy as np
from numba import njit

TINY = 2.2250738585072014e-308
LONGER, SHORTER = 10.0, 8.0  # how much the stretch of a step may grow at once; by how much it is taken back


@njit(cache=True, nogil=True, error_model="numpy")
def _distance(G, i, j):
    """|v_i - v_j|^2, in an order that is never infinity - infinity; clamped, since rounding can make it negative."""
    return max((G[i, i] - G[i, j]) + (G[j, j] - G[i, j]), 0.0)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _apply(G, w, out):
    """out = G w."""
    out[:] = 0.0
    for j in range(len(w)):
        row, weight = G[j], w[j]
        for i in range(len(out)):
            out[i] += row[i] * weight


@njit(cache=True, nogil=True, error_model="numpy")
def _dot(x, y):
    """x'y, without a library's help: small vectors."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def largest_crowd(G, within):
    """Return the largest number of rows that are nearer than that, squared, to one of them."""
    most = 0
    for i in range(len(G)):
        crowd = 0
        for j in range(len(G)):
            crowd += _distance(G, i, j) < within
        most = max(most, crowd)
    return most


@njit(cache=True, nogil=True, error_model="numpy")
def below_every_row(G, w):
    """Set w to the weights of a point with a smaller sum than any row; return whether the best row is optimal instead.

    If any row is the geometric median, it is the row r of the least sum. It is optimal when the unit
    vectors from it to the rows elsewhere add up to R with |R| at most the number of rows at r (Vardi and
    Zhang, 2000, eq. 2.7); otherwise their step from r leads below r, and so below every row.
    """
    n, best, least = len(G), 0, np.inf
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += np.sqrt(_distance(G, i, j))
        if total < least:
            best, least = i, total
    here, pull = 0, 0.0
    for j in range(n):
        square = _distance(G, best, j)
        here += square == 0.0
        w[j] = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
        pull += w[j]
    stay = 1.0
    if pull > 0.0:  # else all are here, or too far to be seen
        w /= pull
        inner = np.empty(n)
        _apply(G, w, inner)
        stay = here / pull / np.sqrt(max(_dot(w, inner) - 2.0 * inner[best] + G[best, best], TINY))
    if stay >= 1.0:
        w[:] = 0.0
        w[best] = 1.0
        return True
    w *= 1.0 - stay
    w[best] += stay
    return False


@njit(cache=True, nogil=True, error_model="numpy")
def descend(G, w, tolerance, limit):
    """Move the weights w to those of the geometric median; return how many steps that took, or -1 past the limit.

    Weiszfeld's step is stretched by what the last two say about how far the point still has to go (Barzilai
    and Borwein, 1988): near a row that is not quite optimal he would take thousands. A step of up to twice
    his always leads down (Ostresh, 1978); a longer one that does not is taken back and shortened.
    Where it ends, the weights are those of a step of his, so that none is negative.
    """
    n = len(w)
    z, inner, to_rows = w.copy(), np.empty(n), np.empty(n)
    by, pulled, last_by, last_pulled = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    least, last_step, stretch = np.inf, 0.0, 1.0
    for iteration in range(1, limit + 1):
        _apply(G, z, inner)
        square, total, pull = _dot(z, inner), 0.0, 0.0
        for i in range(n):
            to_rows[i] = np.sqrt(max(square - 2.0 * inner[i] + G[i, i], TINY))
            total += to_rows[i]
            pull += 1.0 / to_rows[i]
        if stretch > 2.0 and not total <= least:
            shorter = max(stretch / SHORTER, 1.0)
            for i in range(n):
                z[i] += (shorter - stretch) * by[i]
            stretch = shorter
            continue
        least = total
        by, last_by = last_by, by
        pulled, last_pulled = last_pulled, pulled
        for i in range(n):
            w[i] = 1.0 / to_rows[i] / pull
            by[i] = w[i] - z[i]
        _apply(G, by, pulled)
        step = _dot(by, pulled)
        if step <= (tolerance * np.median(to_rows)) ** 2:
            return iteration
        if iteration > 1:
            gone = last_step - _dot(by, last_pulled)  # how much shorter the step became, along the last one
            stretch = max(stretch * (last_step / gone if gone * LONGER > last_step else LONGER), 1.0)
        last_step = step
        for i in range(n):
            z[i] += stretch * by[i]
    return -1
