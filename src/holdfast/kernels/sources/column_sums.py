"""Rows combined coordinate by coordinate.

A block of columns at a time: the running sums stay in the first cache and every message is read once.
Four rows at a time: four streams from memory keep it busier than one, and sums are touched a quarter as often.
Columns `first` to `last` only, so that threads can share the work.
"""

from numba import njit

from holdfast.kernels.compile_cache import jit

from .lanes import LANES, fma, load, nothing, repeat, store

BLOCK = 2048
SPAN = 1024
"""Columns of which several mixtures are made before the next are read: those of all rows stay in the second cache."""
TILE = 4 * LANES
"""Columns whose sums stay in registers."""


@jit
def mean(rows, first, last, out):
    """out = the mean of the rows, added in their order as NumPy adds them."""
    n = len(rows)
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        total = out[begin:end]
        a = rows[0, begin:end]
        for j in range(len(total)):  # an assignment of arrays takes two seconds more to compile: it could fail
            total[j] = a[j]
        done = 1
        while done + 4 <= n:
            a, b = rows[done, begin:end], rows[done + 1, begin:end]
            c, d = rows[done + 2, begin:end], rows[done + 3, begin:end]
            for j in range(len(total)):
                total[j] = (((total[j] + a[j]) + b[j]) + c[j]) + d[j]
            done += 4
        for i in range(done, n):
            a = rows[i, begin:end]
            for j in range(len(total)):
                total[j] += a[j]
        for j in range(len(total)):
            total[j] /= total.dtype.type(n)


@jit
def combination(weights, chosen, rows, first, last, out):
    """out = sum of weights[k] * rows[chosen[k]]; other rows are not read."""
    n = len(chosen)
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        total = out[begin:end]
        total[:] = total.dtype.type(0)
        done = 0
        while done + 4 <= n:
            a, b = rows[chosen[done], begin:end], rows[chosen[done + 1], begin:end]
            c, d = rows[chosen[done + 2], begin:end], rows[chosen[done + 3], begin:end]
            p, q, r, s = weights[done], weights[done + 1], weights[done + 2], weights[done + 3]
            for j in range(len(total)):
                total[j] = fma(s, d[j], fma(r, c[j], fma(q, b[j], fma(p, a[j], total[j]))))
            done += 4
        for i in range(done, n):
            a, p = rows[chosen[i], begin:end], weights[i]
            for j in range(len(total)):
                total[j] = fma(p, a[j], total[j])


@jit
def _mixture(weights, chosen, flat, width, first, last, out):
    """`combination` of the rows that lie one after the other in `flat`, tile by tile; return where the tiles end.

    The sums of a tile stay in registers while the rows stream by, in the order of `combination`.
    """
    while first + TILE <= last:
        a, b, c, d = nothing(flat), nothing(flat), nothing(flat), nothing(flat)
        for k in range(len(chosen)):
            at, weight = chosen[k] * width + first, repeat(weights[k])
            a = fma(weight, load(flat, at, flat), a)
            b = fma(weight, load(flat, at + LANES, flat), b)
            c = fma(weight, load(flat, at + 2 * LANES, flat), c)
            d = fma(weight, load(flat, at + 3 * LANES, flat), d)
        store(out, first, a)
        store(out, first + LANES, b)
        store(out, first + 2 * LANES, c)
        store(out, first + 3 * LANES, d)
        first += TILE
    return first


@jit
def mixtures(weights, chosen, counts, rows, first, last, out):
    """out[k] = `combination` by the first counts[k] of weights[k] and chosen[k]."""
    flat, width = rows.reshape(-1), rows.shape[1]
    for begin in range(first, last, SPAN):
        end = min(begin + SPAN, last)
        for k in range(len(out)):
            used, places = weights[k, : counts[k]], chosen[k, : counts[k]]
            done = _mixture(used, places, flat, width, begin, end, out[k])
            combination(used, places, rows, done, end, out[k])


@njit(nogil=True)
def _sign(x, y, weight, zero):
    """The sign of x - y times a weight; NaN is neither above nor below."""
    return (weight if x > y else zero) - (weight if x < y else zero)


@jit
def sign_sum(model, weights, chosen, rows, first, last, out):
    """out = sum of weights[k] * sign(model - rows[chosen[k]]), exact for whole weights; other rows are not read."""
    n, zero = len(chosen), out.dtype.type(0)
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        x, total = model[begin:end], out[begin:end]
        total[:] = zero
        done = 0
        while done + 4 <= n:
            a, b = rows[chosen[done], begin:end], rows[chosen[done + 1], begin:end]
            c, d = rows[chosen[done + 2], begin:end], rows[chosen[done + 3], begin:end]
            p, q, r, s = weights[done], weights[done + 1], weights[done + 2], weights[done + 3]
            for j in range(len(total)):
                total[j] += (_sign(x[j], a[j], p, zero) + _sign(x[j], b[j], q, zero)) + (
                    _sign(x[j], c[j], r, zero) + _sign(x[j], d[j], s, zero)
                )
            done += 4
        for i in range(done, n):
            a, p = rows[chosen[i], begin:end], weights[i]
            for j in range(len(total)):
                total[j] += _sign(x[j], a[j], p, zero)
