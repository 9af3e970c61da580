"""How large the difference of two rows is: its largest entry, how many are that large, its Euclidean length.

Sums and maxima are kept in lanes, column j in lane `j % BLOCK`: neighbouring lanes make whole vectors, and the
order of addition is the same on every machine.
"""

from math import frexp, ldexp

import numpy as np

from holdfast.kernels.compile_cache import jit

BLOCK = 512
"""Lanes. A power of two: they are added up in halves."""
CHUNK = 1 << 20
"""Columns whose count float32 holds."""
LEAST = 1e-270
"""Above this a sum of squares has lost nothing to underflow."""


@jit
def largest(x, y):
    """The largest |x_j - y_j|; NaN is larger than nothing.

    From one set of lanes into another: what is written back only where it has grown does not make vectors.
    """
    width = min(BLOCK, len(x))
    lanes = np.zeros((2, width), x.dtype)
    before, after = lanes[0], lanes[1]
    for begun in range(0, len(x), width):
        begin = min(begun, len(x) - width)  # the last block may overlap: seen twice, a number is no larger
        a, b = x[begin : begin + width], y[begin : begin + width]
        for j in range(len(after)):
            size = abs(a[j] - b[j])
            after[j] = size if size > before[j] else before[j]
        before, after = after, before
    top = before[0]
    for j in range(1, len(before)):
        top = max(top, before[j])
    return top


@jit
def _squares(x, y):
    """The sum of (x_j - y_j)^2 in float64, whatever that is."""
    lanes = np.zeros(BLOCK)
    for begin in range(0, len(x), BLOCK):
        a, b = x[begin : begin + BLOCK], y[begin : begin + BLOCK]
        for j in range(len(a)):
            u = np.float64(a[j] - b[j])
            lanes[j] += u * u
    return _add_lanes(lanes)


@jit
def _scaled_squares(x, y, scale):
    """The same of differences times `scale`; NaN adds 0."""
    lanes = np.zeros(BLOCK)
    for begin in range(0, len(x), BLOCK):
        a, b = x[begin : begin + BLOCK], y[begin : begin + BLOCK]
        for j in range(len(a)):
            u = np.float64(scale * (a[j] - b[j]))
            lanes[j] += u * u if u == u else 0.0
    return _add_lanes(lanes)


@jit
def _add_lanes(lanes):
    half = BLOCK // 2
    while half:
        a, b = lanes[:half], lanes[half : 2 * half]
        for j in range(half):
            a[j] += b[j]
        half //= 2
    return lanes[0]


@jit(fastmath={"reassoc"})
def count(x, y, top):
    """How many |x_j - y_j| are the largest: whole numbers, exact in any order."""
    total, zero, one = 0.0, x.dtype.type(0), x.dtype.type(1)
    for begin in range(0, len(x), CHUNK):
        a, b = x[begin : begin + CHUNK], y[begin : begin + CHUNK]
        some = zero
        for j in range(len(a)):
            some += one if abs(a[j] - b[j]) >= top else zero
        total += some
    return total


@jit
def length(x, y):
    """Return (l, e) with |x - y|_2 = l 2^e; l is infinite if any difference is."""
    total = _squares(x, y)
    if LEAST < total < np.inf:
        return np.sqrt(total), 0
    top = largest(x, y)
    if top == np.inf:
        return np.inf, 0
    exponent = within(frexp(top)[1], x.dtype)
    return np.sqrt(_scaled_squares(x, y, x.dtype.type(ldexp(1.0, -exponent)))), exponent


@jit
def within(exponent, dtype):
    """The exponent, or the next one such that this type has 2^e and 2^-e."""
    limit = -np.finfo(dtype).minexp
    return min(max(exponent, -limit), limit)


@jit
def lengths(rows, first, last, out):
    """out[i] = |rows[i]|_2 for rows `first` to `last`, squares added in float64; infinite where that is no number."""
    for i in range(first, last):
        lanes, row = np.zeros(BLOCK), rows[i]
        for begin in range(0, len(row), BLOCK):
            a = row[begin : begin + BLOCK]
            for j in range(len(a)):
                u = np.float64(a[j])
                lanes[j] += u * u
        total = _add_lanes(lanes)
        out[i] = np.sqrt(total) if total == total else np.inf
