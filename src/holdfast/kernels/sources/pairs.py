"""Sums over all pairs of rows: squared distances, and inner products about a centre.

A chunk of columns at a time, two rows against four, so that eight sums live in registers while the six
rows stream by. The chunks' sums are added in float64: rounding does not grow with the dimension.
"""

import numpy as np
from numba import njit

from holdfast.kernels.compile_cache import jit

from .lanes import LANES, add_lanes, fma, less, load, load_one, nothing

CHUNK = 1024


@njit(inline="always")
def _add_squares(u, v, a, b, c, d, sums):
    """The sums of eight squared distances after some more columns."""
    s0, s1, s2, s3, t0, t1, t2, t3 = sums
    e0, e1, e2, e3 = less(u, a), less(u, b), less(u, c), less(u, d)
    f0, f1, f2, f3 = less(v, a), less(v, b), less(v, c), less(v, d)
    return (
        fma(e0, e0, s0),
        fma(e1, e1, s1),
        fma(e2, e2, s2),
        fma(e3, e3, s3),
        fma(f0, f0, t0),
        fma(f1, f1, t1),
        fma(f2, f2, t2),
        fma(f3, f3, t3),
    )


@njit(inline="always")
def _add_products(u, v, a, b, c, d, sums):
    """The sums of eight inner products after some more columns."""
    s0, s1, s2, s3, t0, t1, t2, t3 = sums
    return (
        fma(u, a, s0),
        fma(u, b, s1),
        fma(u, c, s2),
        fma(u, d, s3),
        fma(v, a, t0),
        fma(v, b, t1),
        fma(v, c, t2),
        fma(v, d, t3),
    )


@njit(inline="always")
def _add_lanes(s):
    return (
        add_lanes(s[0]),
        add_lanes(s[1]),
        add_lanes(s[2]),
        add_lanes(s[3]),
        add_lanes(s[4]),
        add_lanes(s[5]),
        add_lanes(s[6]),
        add_lanes(s[7]),
    )


@jit
def _distances(x, y, a, b, c, d):
    zero = nothing(x)
    s = (zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        u, v = load(x, j, x), load(y, j, x)
        s = _add_squares(u, v, load(a, j, x), load(b, j, x), load(c, j, x), load(d, j, x), s)
    for j in range(whole, len(x)):
        u, v = load_one(x, j, x), load_one(y, j, x)
        s = _add_squares(u, v, load_one(a, j, x), load_one(b, j, x), load_one(c, j, x), load_one(d, j, x), s)
    return _add_lanes(s)


@jit
def _products(x, y, a, b, c, d, centre):
    zero = nothing(x)
    s = (zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        o = load(centre, j, x)
        u, v = less(load(x, j, x), o), less(load(y, j, x), o)
        e, f = less(load(a, j, x), o), less(load(b, j, x), o)
        g, h = less(load(c, j, x), o), less(load(d, j, x), o)
        s = _add_products(u, v, e, f, g, h, s)
    for j in range(whole, len(x)):
        o = load_one(centre, j, x)
        u, v = less(load_one(x, j, x), o), less(load_one(y, j, x), o)
        e, f = less(load_one(a, j, x), o), less(load_one(b, j, x), o)
        g, h = less(load_one(c, j, x), o), less(load_one(d, j, x), o)
        s = _add_products(u, v, e, f, g, h, s)
    return _add_lanes(s)


@jit
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


@jit
def add_spans(rows, centre, starts, width, sums, first, last):
    """Add the pair sums of spans `first` to `last`, each of so many columns from its start, each to sums of its own."""
    for k in range(first, last):
        _add_pairs(rows, centre, starts[k], min(starts[k] + width, rows.shape[1]), sums[k])


@jit
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
