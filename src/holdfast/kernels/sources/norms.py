"""Subgradients of the l2 and the l-infinity norm at the differences of rows from a centre (Proposition 1).

What a row's subgradient needs to know of the whole row is three numbers, its recipe; with them every column
is on its own. So threads share rows where rows come out, and columns where the sum of all does.
"""

from math import frexp, ldexp

import numpy as np
from numba import njit

from holdfast.kernels.compile_cache import jit

from .row_lengths import count, largest, length, within

BLOCK = 512
"""Columns that are worked on at a time: they stay in the first cache."""


@jit
def _recipe(x, y, euclidean, weight):
    """Return (top, scale, share): the subgradient at u = x - y is `share * (scale u)`, or `share` at the maxima.

    The scale is the power of two that brings the length near 1: exact, and no product over- or underflows. It
    is 0 if only the maxima count: in l-infinity, and in l2 if they are infinite.
    """
    number = x.dtype.type
    if euclidean:
        size, exponent = length(x, y)
        if size == 0:
            return number(0), number(1), number(0)
        if size < np.inf:
            near = within(exponent + frexp(size)[1], x.dtype)
            return number(0), number(ldexp(1.0, -near)), number(weight / ldexp(size, exponent - near))
    top = largest(x, y)
    tied = max(count(x, y, top), 1.0)  # none of a row of nothing but NaN
    return top, number(0), number(weight / (np.sqrt(tied) if euclidean else tied))


@njit(nogil=True)
def _scale(u, scale, share, zero):
    return share * (scale * u) if u == u else zero


@njit(nogil=True)
def _share(u, top, share, one, zero):
    """Neither side if u is NaN; both, so nothing, if all of the row is 0."""
    return share * ((one if u >= top else zero) - (one if u <= -top else zero))


@jit
def _subgradient(x, y, top, scale, share, out):
    """out = the subgradient at x - y, of some columns."""
    zero, one = out.dtype.type(0), out.dtype.type(1)
    if scale > 0:
        for j in range(len(out)):
            out[j] = _scale(x[j] - y[j], scale, share, zero)
    else:
        for j in range(len(out)):
            out[j] = _share(x[j] - y[j], top, share, one, zero)


@jit
def subgradients(rows, centre, euclidean, weight, first, last, out):
    """out[i] = weight times the subgradient at rows[i] - centre, for rows `first` to `last`."""
    for i in range(first, last):
        top, scale, share = _recipe(rows[i], centre, euclidean, weight)
        _subgradient(rows[i], centre, top, scale, share, out[i])


@jit
def steps(rows, centre, euclidean, weight, gradients, rate, first, last, out):
    """out[i] = rows[i] - rate * (gradients[i] + that subgradient), rounded as NumPy rounds it."""
    z = np.empty(BLOCK, rows.dtype)
    for i in range(first, last):
        top, scale, share = _recipe(rows[i], centre, euclidean, weight)
        for begin in range(0, len(centre), BLOCK):
            end = min(begin + BLOCK, len(centre))
            x, gradient, moved = rows[i, begin:end], gradients[i, begin:end], out[i, begin:end]
            _subgradient(x, centre[begin:end], top, scale, share, z[: end - begin])
            for j in range(len(moved)):
                moved[j] = x[j] - rate * (gradient[j] + z[j])


@jit
def sign_steps(rows, centre, weight, gradients, rate, first, last, out):
    """out[i] = rows[i] - rate * (gradients[i] + weight sign(rows[i] - centre)), rounded as NumPy rounds it."""
    zero, one = out.dtype.type(0), out.dtype.type(1)
    for i in range(first, last):
        x, gradient, moved = rows[i], gradients[i], out[i]
        for j in range(len(centre)):
            u = x[j] - centre[j]
            z = weight * ((one if u > zero else zero) - (one if u < zero else zero))
            moved[j] = x[j] - rate * (gradient[j] + z)


@jit
def recipes(rows, weights, chosen, centre, euclidean, first, last, out):
    """out[k] = what the columns of row chosen[k] need to know of the whole row, for these k; each has its weight."""
    for k in range(first, last):
        out[k, 0], out[k, 1], out[k, 2] = _recipe(rows[chosen[k]], centre, euclidean, weights[k])


@jit
def _subtract_scaled(a, b, c, d, y, r, total):
    zero = total.dtype.type(0)
    scale_a, scale_b, scale_c, scale_d = r[0, 1], r[1, 1], r[2, 1], r[3, 1]
    share_a, share_b, share_c, share_d = r[0, 2], r[1, 2], r[2, 2], r[3, 2]
    for j in range(len(total)):
        before = total[j] - _scale(a[j] - y[j], scale_a, share_a, zero)
        before -= _scale(b[j] - y[j], scale_b, share_b, zero)
        before -= _scale(c[j] - y[j], scale_c, share_c, zero)
        total[j] = before - _scale(d[j] - y[j], scale_d, share_d, zero)


@jit
def _subtract_shared(a, b, c, d, y, r, total):
    zero, one = total.dtype.type(0), total.dtype.type(1)
    top_a, top_b, top_c, top_d = r[0, 0], r[1, 0], r[2, 0], r[3, 0]
    share_a, share_b, share_c, share_d = r[0, 2], r[1, 2], r[2, 2], r[3, 2]
    for j in range(len(total)):
        before = total[j] - _share(a[j] - y[j], top_a, share_a, one, zero)
        before -= _share(b[j] - y[j], top_b, share_b, one, zero)
        before -= _share(c[j] - y[j], top_c, share_c, one, zero)
        total[j] = before - _share(d[j] - y[j], top_d, share_d, one, zero)


@jit
def pull(rows, chosen, centre, recipes, first, last, out):
    """out = the sum of the subgradients at centre - rows[chosen[k]], in their order, for columns `first` to `last`.

    Four rows at a time, if they are of a kind: see `columns.py`.
    """
    n, scaled, z = len(chosen), recipes[:, 1] > 0, np.empty(BLOCK, rows.dtype)
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        y, total = centre[begin:end], out[begin:end]
        total[:] = total.dtype.type(0)
        i = 0
        while i < n:
            r, a = recipes[i : i + 4], rows[chosen[i], begin:end]
            if i + 4 <= n and scaled[i] == scaled[i + 1] == scaled[i + 2] == scaled[i + 3]:
                b, c = rows[chosen[i + 1], begin:end], rows[chosen[i + 2], begin:end]
                d = rows[chosen[i + 3], begin:end]
                if scaled[i]:
                    _subtract_scaled(a, b, c, d, y, r, total)
                else:
                    _subtract_shared(a, b, c, d, y, r, total)
                i += 4
            else:
                _subgradient(a, y, r[0, 0], r[0, 1], r[0, 2], z[: end - begin])
                for j in range(len(total)):
                    total[j] -= z[j]
                i += 1
