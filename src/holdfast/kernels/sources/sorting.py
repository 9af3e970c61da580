"""Compare and exchange, the two halves of it; and many rows sorted by a table of exchanges."""

import numpy as np
from numba import njit, uintp

from holdfast.kernels.compile_cache import jit

LANES = 128


@njit(nogil=True)
def low(a, b):
    return a if a < b else b


@njit(nogil=True)
def high(a, b):
    return b if a < b else a


@njit(nogil=True)
def nan_to_infinity(x, infinity):
    """NaN counts as +infinity."""
    return x if x == x else infinity


@jit
def mean_of_ranks(rows, moves, wanted, first, last, out):
    """out = the mean of the wanted ranks of each column, 128 columns at a time.

    `moves[k]` reads two lines of the tile and writes the smaller and the larger values to two free ones:
    writing them back where they came from was measured to be several times slower. Unsigned
    offsets: a signed one might count from the end, and asking costs more than the exchange.
    """
    n = len(rows)
    infinity = rows.dtype.type(np.inf)
    tile = np.zeros((n + 2) * LANES, rows.dtype)
    for begin in range(first, last, LANES):
        end = min(begin + LANES, last)
        for i in range(n):
            a, b = rows[i, begin:end], tile[i * LANES : (i + 1) * LANES]
            for j in range(len(a)):
                b[j] = nan_to_infinity(a[j], infinity)
        for k in range(len(moves)):
            a, b = uintp(moves[k, 0] * LANES), uintp(moves[k, 1] * LANES)
            c, d = uintp(moves[k, 2] * LANES), uintp(moves[k, 3] * LANES)
            for j in range(uintp(LANES)):
                x, y = tile[a + j], tile[b + j]
                tile[c + j] = low(x, y)
                tile[d + j] = high(x, y)
        for j in range(end - begin):
            total = tile[wanted[0] * LANES + j]
            for i in range(1, len(wanted)):
                total += tile[wanted[i] * LANES + j]
            out[begin + j] = total / out.dtype.type(len(wanted))
