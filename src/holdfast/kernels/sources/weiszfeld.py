"""The geometric median on the inner products G of the rows: where to start, whether to end there, Weiszfeld's steps.

G is symmetric, so that G w is added up row by row: neighbours in memory, no sum waits for the one before.
"""

import numpy as np
from numba import njit

TINY = 2.2250738585072014e-308


@njit(cache=True, nogil=True, error_model="numpy")
def _distance(G, i, j):
    """|v_i - v_j|^2; clamped, since rounding can make it negative, and in an order that is never infinity - infinity."""
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
    """Move the weights w to those of the geometric median; return how many steps that took, or -1 past the limit."""
    n = len(w)
    inner, to_rows, by, pulled = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for iteration in range(1, limit + 1):
        _apply(G, w, inner)
        square, pull = _dot(w, inner), 0.0
        for i in range(n):
            to_rows[i] = np.sqrt(max(square - 2.0 * inner[i] + G[i, i], TINY))
            pull += 1.0 / to_rows[i]
        for i in range(n):
            moved = 1.0 / to_rows[i] / pull
            by[i] = moved - w[i]
            w[i] = moved
        _apply(G, by, pulled)
        if _dot(by, pulled) <= (tolerance * np.median(to_rows)) ** 2:
            return iteration
    return -1
