"""Sums over all pairs of rows: squared distances, and inner products about a centre.

A chunk of columns at a time, two rows against four, so that eight sums live in registers while the six
rows stream by. The chunks' sums are added in float64: rounding does not grow with the dimension.
"""

import numpy as np

from holdfast.kernels.compiling import compiled

CHUNK = 1024
FAST = {"reassoc", "contract", "nsz"}


@compiled(fastmath=FAST)
def _distances(x, y, a, b, c, d):
    s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = x.dtype.type(0)
    for j in range(len(x)):
        u, v = x[j], y[j]
        e, f = u - a[j], v - a[j]
        s0 += e * e
        t0 += f * f
        e, f = u - b[j], v - b[j]
        s1 += e * e
        t1 += f * f
        e, f = u - c[j], v - c[j]
        s2 += e * e
        t2 += f * f
        e, f = u - d[j], v - d[j]
        s3 += e * e
        t3 += f * f
    return s0, s1, s2, s3, t0, t1, t2, t3


@compiled(fastmath=FAST)
def _products(x, y, a, b, c, d, centre):
    s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = x.dtype.type(0)
    for j in range(len(x)):
        o = centre[j]
        u, v = x[j] - o, y[j] - o
        e = a[j] - o
        s0 += u * e
        t0 += v * e
        e = b[j] - o
        s1 += u * e
        t1 += v * e
        e = c[j] - o
        s2 += u * e
        t2 += v * e
        e = d[j] - o
        s3 += u * e
        t3 += v * e
    return s0, s1, s2, s3, t0, t1, t2, t3


@compiled
def _add_pairs(rows, centre, first, last, sums):
    """Add to the upper triangle of `sums` what columns `first` to `last` contribute.

    Squared distances if `centre` is empty, else inner products of the rows minus the centre. `sums` is
    padded to multiples of four; where a tile reaches past the rows, it repeats the last one there.
    """
    n = len(rows)
    for begin in range(first, last, CHUNK):
        end = min(begin + CHUNK, last)
        for k in range(0, n, 4):
            a = rows[k, begin:end]
            b = rows[min(k + 1, n - 1), begin:end]
            c = rows[min(k + 2, n - 1), begin:end]
            d = rows[min(k + 3, n - 1), begin:end]
            for i in range(0, min(k + 4, n), 2):
                x, y = rows[i, begin:end], rows[min(i + 1, n - 1), begin:end]
                found = _products(x, y, a, b, c, d, centre[begin:end]) if len(centre) else _distances(x, y, a, b, c, d)
                for q in range(4):
                    sums[i, k + q] += found[q]
                    sums[i + 1, k + q] += found[4 + q]


@compiled
def add_spans(rows, centre, starts, width, sums, first, last):
    """Add the pair sums of spans `first` to `last`, each of so many columns from its start, each to sums of its own."""
    for k in range(first, last):
        _add_pairs(rows, centre, starts[k], min(starts[k] + width, rows.shape[1]), sums[k])


@compiled
def fold(sums, distances, out):
    """out = the sum of the spans' sums, their upper triangle on both sides of the diagonal.

    Of distances: 0 on the diagonal, and what is not a number is infinitely far.
    """
    n = len(out)
    for i in range(n):
        for j in range(i, n):
            total = 0.0
            for k in range(len(sums)):
                total += sums[k, i, j]
            if distances and i == j:
                total = 0.0
            elif distances and total != total:
                total = np.inf
            out[i, j] = total
            out[j, i] = total
