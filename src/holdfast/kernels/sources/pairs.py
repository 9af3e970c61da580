"""Sums over all pairs of rows: squared distances, and inner products about a centre.

A chunk of columns at a time, two rows against four, so that eight sums live in registers while the six
rows stream by. The chunks' sums are added in float64: rounding does not grow with the dimension.
"""

import numpy as np
from numba import njit

from holdfast.kernels.compile_cache import compiled

from .lanes import LANES, folded, fused, less, nothing, single, taken

CHUNK = 1024


@njit(inline="always")
def _squared(u, v, a, b, c, d, sums):
    """The sums of eight squared distances after some more columns."""
    s0, s1, s2, s3, t0, t1, t2, t3 = sums
    e0, e1, e2, e3 = less(u, a), less(u, b), less(u, c), less(u, d)
    f0, f1, f2, f3 = less(v, a), less(v, b), less(v, c), less(v, d)
    return (
        fused(e0, e0, s0),
        fused(e1, e1, s1),
        fused(e2, e2, s2),
        fused(e3, e3, s3),
        fused(f0, f0, t0),
        fused(f1, f1, t1),
        fused(f2, f2, t2),
        fused(f3, f3, t3),
    )


@njit(inline="always")
def _multiplied(u, v, a, b, c, d, sums):
    """The sums of eight inner products after some more columns."""
    s0, s1, s2, s3, t0, t1, t2, t3 = sums
    return (
        fused(u, a, s0),
        fused(u, b, s1),
        fused(u, c, s2),
        fused(u, d, s3),
        fused(v, a, t0),
        fused(v, b, t1),
        fused(v, c, t2),
        fused(v, d, t3),
    )


@njit(inline="always")
def _folded(s):
    return (
        folded(s[0]),
        folded(s[1]),
        folded(s[2]),
        folded(s[3]),
        folded(s[4]),
        folded(s[5]),
        folded(s[6]),
        folded(s[7]),
    )


@compiled
def _distances(x, y, a, b, c, d):
    zero = nothing(x)
    s = (zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        u, v = taken(x, j, x), taken(y, j, x)
        s = _squared(u, v, taken(a, j, x), taken(b, j, x), taken(c, j, x), taken(d, j, x), s)
    for j in range(whole, len(x)):
        u, v = single(x, j, x), single(y, j, x)
        s = _squared(u, v, single(a, j, x), single(b, j, x), single(c, j, x), single(d, j, x), s)
    return _folded(s)


@compiled
def _products(x, y, a, b, c, d, centre):
    zero = nothing(x)
    s = (zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        o = taken(centre, j, x)
        u, v = less(taken(x, j, x), o), less(taken(y, j, x), o)
        e, f = less(taken(a, j, x), o), less(taken(b, j, x), o)
        g, h = less(taken(c, j, x), o), less(taken(d, j, x), o)
        s = _multiplied(u, v, e, f, g, h, s)
    for j in range(whole, len(x)):
        o = single(centre, j, x)
        u, v = less(single(x, j, x), o), less(single(y, j, x), o)
        e, f = less(single(a, j, x), o), less(single(b, j, x), o)
        g, h = less(single(c, j, x), o), less(single(d, j, x), o)
        s = _multiplied(u, v, e, f, g, h, s)
    return _folded(s)


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
