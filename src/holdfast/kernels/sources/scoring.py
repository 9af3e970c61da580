"""Linear scores of samples, straight from where they lie.

Samples are read as bytes if they are bytes, and become numbers in registers; scores are computed in tiles of two
samples by five outputs, so that sums live in registers too.
"""

import numpy as np
from numba import njit

from holdfast.kernels.compile_cache import compiled

from .lanes import LANES, folded, fused, nothing, prefetch, single, taken

BLOCK = 64
"""Samples scored at a time in a pass over all of them."""


@njit(inline="always")
def _added(u, v, a, b, c, d, e, sums):
    """The sums of ten inner products after some more of their elements."""
    s0, s1, s2, s3, s4, t0, t1, t2, t3, t4 = sums
    return (
        fused(u, a, s0),
        fused(u, b, s1),
        fused(u, c, s2),
        fused(u, d, s3),
        fused(u, e, s4),
        fused(v, a, t0),
        fused(v, b, t1),
        fused(v, c, t2),
        fused(v, d, t3),
        fused(v, e, t4),
    )


@compiled
def _dots_2x5(x, y, a, b, c, d, e):
    """The inner products of two samples with five rows of weights."""
    zero = nothing(a)
    s = (zero, zero, zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        u, v = taken(x, j, a), taken(y, j, a)
        s = _added(u, v, taken(a, j, a), taken(b, j, a), taken(c, j, a), taken(d, j, a), taken(e, j, a), s)
    for j in range(whole, len(x)):
        u, v = single(x, j, a), single(y, j, a)
        s = _added(u, v, single(a, j, a), single(b, j, a), single(c, j, a), single(d, j, a), single(e, j, a), s)
    first = folded(s[0]), folded(s[1]), folded(s[2]), folded(s[3]), folded(s[4])
    return *first, folded(s[5]), folded(s[6]), folded(s[7]), folded(s[8]), folded(s[9])


@compiled
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


@compiled
def scores_of_all(features, scale, model, out):
    """out[i] = the scores of sample i, straight from bytes."""
    for begin in range(0, len(features), BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, len(features)))
        scores_of(features, rows, rows, scale, model, out[begin : begin + len(rows)])
