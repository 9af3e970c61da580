"""Of every column of sorted values, the mean of those nearest to the mean of its middle ranks."""

import numpy as np
from numba import njit, uintp

from holdfast.kernels.compile_cache import jit

from .sorting import high, low, nan_to_infinity

LANES = 128


@njit(nogil=True)
def nearer(above, below, centre):
    """Whether the upper of two values is nearer to the centre than the lower."""
    return above - centre < centre - below


@jit
def _mean(tile, lines, out):
    """out = the mean of these lines of the tile, added in their order."""
    out[:] = tile[lines[0]][: len(out)]
    for i in range(1, len(lines)):
        x = tile[lines[i]]
        for j in range(len(out)):
            out[j] += x[j]
    for j in range(len(out)):
        out[j] /= out.dtype.type(len(lines))


@jit
def average(tile, lines, first, last, nearest, centre, out):
    """out = the mean of the `nearest` values nearest to the mean of ranks `first` to `last`; of two as near, the lower.

    Rank i is line `lines[i]` of the tile. The nearest values are neighbours in rank. They begin beyond rank i if and
    only if rank i + nearest is nearer than rank i: then rank i is out, and rank i + nearest is in.
    """
    n, zero, middle = len(lines), out.dtype.type(0), centre[: len(out)]
    _mean(tile, lines[first:last], middle)
    out[:] = zero
    for i in range(n):
        x = tile[lines[i]]
        below, above = tile[lines[max(i - nearest, 0)]], tile[lines[min(i + nearest, n - 1)]]
        if i < nearest and i + nearest >= n:
            for j in range(len(out)):
                out[j] += x[j]
        elif i < nearest:
            for j in range(len(out)):
                out[j] += zero if nearer(above[j], x[j], middle[j]) else x[j]
        elif i + nearest >= n:
            for j in range(len(out)):
                out[j] += x[j] if nearer(x[j], below[j], middle[j]) else zero
        else:
            for j in range(len(out)):
                entered = x[j] if nearer(x[j], below[j], middle[j]) else zero
                out[j] += zero if nearer(above[j], x[j], middle[j]) else entered
    for j in range(len(out)):
        out[j] /= out.dtype.type(nearest)


@jit
def mean_nearest(rows, chosen, moves, lines, first_rank, last_rank, nearest, first, last, out):
    """out = `average` of the chosen rows' columns, sorted by a table of moves as in `sorting.mean_of_ranks`."""
    n = len(chosen)
    infinity = rows.dtype.type(np.inf)
    tile = np.zeros((n + 2, LANES), rows.dtype)
    flat, centre = tile.reshape(-1), np.empty(LANES, rows.dtype)
    for begin in range(first, last, LANES):
        end = min(begin + LANES, last)
        for i in range(n):
            a, b = rows[chosen[i], begin:end], tile[i]
            for j in range(len(a)):
                b[j] = nan_to_infinity(a[j], infinity)
        for k in range(len(moves)):
            a, b = uintp(moves[k, 0] * LANES), uintp(moves[k, 1] * LANES)
            c, d = uintp(moves[k, 2] * LANES), uintp(moves[k, 3] * LANES)
            for j in range(uintp(LANES)):
                x, y = flat[a + j], flat[b + j]
                flat[c + j] = low(x, y)
                flat[d + j] = high(x, y)
        average(tile, lines, first_rank, last_rank, nearest, centre, out[begin:end])
