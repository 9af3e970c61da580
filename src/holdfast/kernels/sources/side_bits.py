"""On which side of a vector rows are, two bits per coordinate: above, below, or neither.

`bits.py` has one bit per coordinate, and a coin for ties; here a tie is neither side.
"""

import numpy as np
from numba import int32, njit

from holdfast.kernels.compile_cache import jit


@njit(nogil=True)
def _sides(x, y):
    """1 if x is above y, 256 if it is below; 0 if they are equal or one of them is NaN."""
    return int32(x > y) + (int32(x < y) << int32(8))


@jit
def _pack_whole(x, y, width, above, below):
    """Fill bytes of which all eight coordinates exist."""
    x0, x1, x2, x3 = x, x[width:], x[2 * width :], x[3 * width :]
    x4, x5, x6, x7 = x[4 * width :], x[5 * width :], x[6 * width :], x[7 * width :]
    y0, y1, y2, y3 = y, y[width:], y[2 * width :], y[3 * width :]
    y4, y5, y6, y7 = y[4 * width :], y[5 * width :], y[6 * width :], y[7 * width :]
    for b in range(len(above)):
        sides = (_sides(x0[b], y0[b]) | (_sides(x1[b], y1[b]) << int32(1))) | (
            (_sides(x2[b], y2[b]) << int32(2)) | (_sides(x3[b], y3[b]) << int32(3))
        )
        sides |= ((_sides(x4[b], y4[b]) << int32(4)) | (_sides(x5[b], y5[b]) << int32(5))) | (
            (_sides(x6[b], y6[b]) << int32(6)) | (_sides(x7[b], y7[b]) << int32(7))
        )
        above[b] = sides
        below[b] = sides >> int32(8)


@jit
def pack_sides(rows, neutral, out):
    """out[i] = a bit for each coordinate of row i, whether it is above neutral, then a bit for each, whether below.

    Planar as in `bits.py`: both halves have `width` bytes, and bit j of byte b is coordinate `j * width + b`.
    """
    d, width = len(neutral), out.shape[1] // 2
    whole = max(d - 7 * width, 0)
    for i in range(len(rows)):
        row, above, below = rows[i], out[i, :width], out[i, width:]
        _pack_whole(row, neutral, width, above[:whole], below[:whole])
        for b in range(whole, width):
            sides = int32(0)
            for j in range(8):
                k = j * width + b
                if k < d:
                    sides |= _sides(row[k], neutral[k]) << int32(j)
            above[b] = sides
            below[b] = sides >> int32(8)


@jit
def find_ties(model, rows):
    """Return the places, counted row by row, of the entries that are equal to the model's or NaN."""
    d, each = len(model), np.zeros(len(rows), np.int64)
    for i in range(len(rows)):
        row, found = rows[i], 0
        for j in range(d):
            found += not (row[j] < model[j] or row[j] > model[j])
        each[i] = found
    places, n = np.empty(each.sum(), np.int64), 0
    for i in range(len(rows)):
        if each[i]:
            for j in range(d):
                if not (rows[i, j] < model[j] or rows[i, j] > model[j]):
                    places[n] = i * d + j
                    n += 1
    return places
