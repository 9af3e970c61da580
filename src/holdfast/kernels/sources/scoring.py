"""Linear scores of samples, straight from where they lie.

Samples are read as bytes if they are bytes, and become numbers in registers; scores are computed in tiles of two
samples by five outputs, so that sums live in registers too.
"""

import numpy as np
from numba import njit

from holdfast.kernels.compile_cache import jit

from .lanes import LANES, add_lanes, fma, load, load_one, nothing, prefetch

BLOCK = 64
"""Samples scored at a time in a pass over all of them."""


@njit(inline="always")
def _add_products(u, v, a, b, c, d, e, sums):
    """The sums of ten inner products after some more of their elements."""
    s0, s1, s2, s3, s4, t0, t1, t2, t3, t4 = sums
    return (
        fma(u, a, s0),
        fma(u, b, s1),
        fma(u, c, s2),
        fma(u, d, s3),
        fma(u, e, s4),
        fma(v, a, t0),
        fma(v, b, t1),
        fma(v, c, t2),
        fma(v, d, t3),
        fma(v, e, t4),
    )


@jit
def _dots_2x5(x, y, a, b, c, d, e):
    """The inner products of two samples with five rows of weights."""
    zero = nothing(a)
    s = (zero, zero, zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        u, v = load(x, j, a), load(y, j, a)
        s = _add_products(u, v, load(a, j, a), load(b, j, a), load(c, j, a), load(d, j, a), load(e, j, a), s)
    for j in range(whole, len(x)):
        u, v = load_one(x, j, a), load_one(y, j, a)
        s = _add_products(
            u, v, load_one(a, j, a), load_one(b, j, a), load_one(c, j, a), load_one(d, j, a), load_one(e, j, a), s
        )
    first = add_lanes(s[0]), add_lanes(s[1]), add_lanes(s[2]), add_lanes(s[3]), add_lanes(s[4])
    return *first, add_lanes(s[5]), add_lanes(s[6]), add_lanes(s[7]), add_lanes(s[8]), add_lanes(s[9])


@jit
def scores_of(features, rows, following, scale, model, scores):
    """scores[i] = scale * W features[rows[i]] + b, while the samples `following` are on their way to the cache.

    A tile that reaches past the end repeats the last row.
    """
    samples, width = len(rows), features.shape[1]
    outputs = scores.shape[1]
    biases = model[outputs * width :]
    for c in range(0, outputs, 5):
        last = outputs - 1
        w0 = model[c * width : (c + 1) * width]
        w1 = model[min(c + 1, last) * width : (min(c + 1, last) + 1) * width]
        w2 = model[min(c + 2, last) * width : (min(c + 2, last) + 1) * width]
        w3 = model[min(c + 3, last) * width : (min(c + 3, last) + 1) * width]
        w4 = model[min(c + 4, last) * width : (min(c + 4, last) + 1) * width]
        for i in range(0, samples, 2):
            k = min(i + 1, samples - 1)
            if c == 0:
                prefetch(features, following[i])
                prefetch(features, following[k])
            found = _dots_2x5(features[rows[i]], features[rows[k]], w0, w1, w2, w3, w4)
            for q in range(min(5, outputs - c)):
                scores[i, c + q] = scale * found[q] + biases[c + q]
                scores[k, c + q] = scale * found[5 + q] + biases[c + q]


@jit
def scores_of_all(features, scale, model, out):
    """out[i] = the scores of sample i, straight from bytes."""
    for begin in range(0, len(features), BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, len(features)))
        scores_of(features, rows, rows, scale, model, out[begin : begin + len(rows)])
