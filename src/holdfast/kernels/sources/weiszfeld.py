"""The geometric median on the inner products G of the rows: where to start, whether to end there, Weiszfeld's steps.

G is symmetric, so that G w is added up row by row: neighbours in memory, no sum waits for the one before. Row i counts
as `given[i]` rows, 1 where all count alike.
"""

import numpy as np

from holdfast.kernels.compile_cache import jit

from .lanes import fma

TINY = 2.2250738585072014e-308
NEAR = 1e-3  # of the median distance
LONGER, SHORTER = 10.0, 8.0  # how much the stretch of a step may grow at once; by how much it is taken back


@jit
def _distance(G, i, j):
    """|v_i - v_j|^2, in an order that is never infinity - infinity; clamped, since rounding can make it negative."""
    return max((G[i, i] - G[i, j]) + (G[j, j] - G[i, j]), 0.0)


@jit
def _apply(G, w, out):
    """out = G w."""
    out[:] = 0.0
    for j in range(len(w)):
        row, weight = G[j], w[j]
        for i in range(len(out)):
            out[i] = fma(row[i], weight, out[i])


@jit
def _dot(x, y):
    """x'y, without a library's help: small vectors."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@jit
def largest_crowd(G, within):
    """Return the largest number of rows that are nearer than that, squared, to one of them."""
    most = 0
    for i in range(len(G)):
        crowd = 0
        for j in range(len(G)):
            crowd += _distance(G, i, j) < within
        most = max(most, crowd)
    return most


@jit
def _best_row(G, given):
    """Return the row of the least sum of distances."""
    best, least = 0, np.inf
    for i in range(len(G)):
        total = 0.0
        for j in range(len(G)):
            total += given[j] * np.sqrt(_distance(G, i, j))
        if total < least:
            best, least = i, total
    return best


@jit
def _about(G, row, out):
    """out = G about that row, unless that overflows; then G."""
    finite = True
    for i in range(len(G)):
        for j in range(len(G)):
            out[i, j] = (G[i, j] - G[i, row]) - (G[row, j] - G[row, row])
            finite &= np.isfinite(out[i, j])
    if not finite:
        for i in range(len(G)):
            for j in range(len(G)):
                out[i, j] = G[i, j]


@jit
def _distances(G, given, z, inner, out):
    """out = |z - v_j| for each row, z given by its weights; return their sum."""
    _apply(G, z, inner)
    square, total = _dot(z, inner), 0.0
    for i in range(len(z)):
        out[i] = np.sqrt(max(square - 2.0 * inner[i] + G[i, i], TINY))
        total += given[i] * out[i]
    return total


@jit
def below_every_row(G, given, about, w):
    """Set w to the weights of a point with a smaller sum than any row; return whether the best row is optimal instead.

    If any row is the geometric median, it is the row r of the least sum. It is optimal when the unit
    vectors from it to the rows elsewhere add up to R with |R| at most the number of rows at r (Vardi and
    Zhang, 2000, eq. 2.7); otherwise their step from r leads below r, and so below every row. That point may be
    so near to r that rounding hides which it is, except in inner products about r: they are left in `about`.

    Rows that are very near to r count as rows at r if that leads below it, too: they would hold the step back.
    """
    n, best = len(G), _best_row(G, given)
    _about(G, best, about)
    inner, to_rows = np.empty(n), np.empty(n)
    w[:] = 0.0
    w[best] = 1.0
    least = _distances(about, given, w, inner, to_rows)
    for near in (NEAR * np.median(to_rows), 0.0):
        here, pull = 0.0, 0.0
        for j in range(n):
            distance = np.sqrt(_distance(about, best, j))
            here += given[j] if distance <= near else 0.0
            w[j] = given[j] / distance if distance > near else 0.0
            pull += w[j]
        if pull == 0.0:  # all are here, or too far to be seen
            continue
        for j in range(n):
            w[j] /= pull
        _apply(about, w, inner)
        stay = here / pull / np.sqrt(max(_dot(w, inner) - 2.0 * inner[best] + about[best, best], TINY))
        if stay >= 1.0:
            continue
        for j in range(n):
            w[j] *= 1.0 - stay
        w[best] += stay
        if near == 0.0 or _distances(about, given, w, inner, to_rows) < least:
            return False
    w[:] = 0.0
    w[best] = 1.0
    return True


@jit
def descend(G, given, w, tolerance, limit):
    """Move the weights w to those of the geometric median; return how many steps that took, or -1 past the limit.

    Weiszfeld's step is stretched by what the last two say about how far the point still has to go (Barzilai
    and Borwein, 1988): near a row that is not quite optimal he would take thousands. A step of up to twice
    his always leads down (Ostresh, 1978); a longer one that does not is taken back and shortened.
    Where it ends, the weights are those of a step of his, so that none is negative.
    """
    n = len(w)
    z, inner, to_rows = w.copy(), np.empty(n), np.empty(n)
    by, pulled, last_pulled = np.zeros(n), np.zeros(n), np.zeros(n)
    least, last_step, stretch = np.inf, 0.0, 1.0
    for iteration in range(1, limit + 1):
        total = _distances(G, given, z, inner, to_rows)
        if stretch > 2.0 and not total <= least:
            shorter = max(stretch / SHORTER, 1.0)
            for i in range(n):
                z[i] += (shorter - stretch) * by[i]
            stretch = shorter
            continue
        least = total
        pulled, last_pulled = last_pulled, pulled
        pull = 0.0
        for i in range(n):
            pull += given[i] / to_rows[i]
        for i in range(n):
            w[i] = given[i] / to_rows[i] / pull
            by[i] = w[i] - z[i]
        _apply(G, by, pulled)
        step = _dot(by, pulled)
        short = tolerance * np.median(to_rows)
        if step <= short * short:
            return iteration
        if iteration > 1:
            gone = last_step - _dot(by, last_pulled)  # how much shorter the step became, along the last one
            stretch = max(stretch * (last_step / gone if gone * LONGER > last_step else LONGER), 1.0)
        last_step = step
        for i in range(n):
            z[i] += stretch * by[i]
    return -1
