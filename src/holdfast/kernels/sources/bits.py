"""On which side of the master workers stand, one bit per coordinate; how many stand where, and with what weight.

The bytes are planar: of messages of `width` bytes, bit j of byte b is coordinate `j * width + b`. So both
packing and counting run over neighbouring bytes, which the compiler turns into whole vectors.
"""

import numpy as np
from numba import int32, njit, uint64

from holdfast.kernels.compile_cache import jit

from .draws import start, word

BLOCK = 512
"""Words counted at a time: their bit planes stay in the first cache."""
COLUMNS = 2048
"""Coordinates weighed at a time: their sums stay there, too."""


@njit(nogil=True)
def _side(x, y):
    """1 if x is above y, 256 if they are equal (a tie, for the coin to decide), else 0."""
    return int32(x > y) + (int32(x == y) << int32(8))


@jit
def _pack_whole(x, y, width, coins, out):
    """Fill bytes of which all eight coordinates exist: sides in the low bytes of a sum, ties in the high ones."""
    x0, x1, x2, x3 = x, x[width:], x[2 * width :], x[3 * width :]
    x4, x5, x6, x7 = x[4 * width :], x[5 * width :], x[6 * width :], x[7 * width :]
    y0, y1, y2, y3 = y, y[width:], y[2 * width :], y[3 * width :]
    y4, y5, y6, y7 = y[4 * width :], y[5 * width :], y[6 * width :], y[7 * width :]
    for b in range(len(out)):
        sides = (_side(x0[b], y0[b]) | (_side(x1[b], y1[b]) << int32(1))) | (
            (_side(x2[b], y2[b]) << int32(2)) | (_side(x3[b], y3[b]) << int32(3))
        )
        sides |= ((_side(x4[b], y4[b]) << int32(4)) | (_side(x5[b], y5[b]) << int32(5))) | (
            (_side(x6[b], y6[b]) << int32(6)) | (_side(x7[b], y7[b]) << int32(7))
        )
        out[b] = sides | ((sides >> int32(8)) & int32(coins[b]))


@jit
def _pack_row(model, row, coins, out):
    d, width = len(model), len(out)
    whole = max(d - 7 * width, 0)
    _pack_whole(model, row, width, coins, out[:whole])
    rest = np.zeros(width - whole, np.int32)  # of bytes that lack a coordinate, fewer than 64
    for j in range(8):
        x, y = model[j * width + whole : (j + 1) * width], row[j * width + whole : (j + 1) * width]
        for b in range(len(x)):
            rest[b] |= _side(x[b], y[b]) << int32(j)
    for b in range(len(rest)):
        out[whole + b] = rest[b] | ((rest[b] >> int32(8)) & int32(coins[whole + b]))


@jit
def pack(model, rows, coins, out):
    """Set the bits where model > row; where they are equal, the coins' bit decides."""
    for i in range(len(rows)):
        _pack_row(model, rows[i], coins[i], out[i])


@jit
def toss(model, rows, key, workers, round, words, coins, out):
    """The same with coins of `holdfast.streams`: tossed a row at a time into `words`, whose bytes are `coins`."""
    for i in range(len(rows)):
        begin = start(key, workers[i], round)
        for k in range(len(words)):
            words[k] = word(begin, k)
        _pack_row(model, rows[i], coins, out[i])


@jit
def _add_four(a, b, c, d, ones, twos, fours):
    """Add four rows of bits to the planes of ones and twos; what carries is in `fours`."""
    for k in range(len(fours)):
        s = a[k] ^ b[k]
        t = s ^ c[k]
        carry = (a[k] & b[k]) | (s & c[k])
        u = t ^ d[k]
        more = (t & d[k]) | (u & ones[k])
        ones[k] ^= u
        v = carry ^ more
        fours[k] = (carry & more) | (v & twos[k])
        twos[k] ^= v


@jit
def _carry_into(plane, carry):
    for k in range(len(plane)):
        both = plane[k] & carry[k]
        plane[k] ^= carry[k]
        carry[k] = both


@njit(nogil=True)
def _swap(a, b, shift, mask):
    """Swap the bits of b under the mask with those of a that lie `shift` higher."""
    moved = ((a >> shift) ^ b) & mask
    return a ^ (moved << shift), b ^ moved


@jit
def _write_counts(planes, begin, end, out):
    """out[j] = the counts whose bits are bits j of the planes' bytes: eight by eight bits turned over at a time."""
    p0, p1, p2, p3 = planes[0], planes[1], planes[2], planes[3]
    p4, p5, p6, p7 = planes[4], planes[5], planes[6], planes[7]
    o0, o1, o2, o3 = out[0, begin:end], out[1, begin:end], out[2, begin:end], out[3, begin:end]
    o4, o5, o6, o7 = out[4, begin:end], out[5, begin:end], out[6, begin:end], out[7, begin:end]
    four, two, one = uint64(4), uint64(2), uint64(1)
    nibbles, pairs, bits = uint64(0x0F0F0F0F0F0F0F0F), uint64(0x3333333333333333), uint64(0x5555555555555555)
    for k in range(len(o0)):
        a, e = _swap(p0[k], p4[k], four, nibbles)
        b, f = _swap(p1[k], p5[k], four, nibbles)
        c, g = _swap(p2[k], p6[k], four, nibbles)
        d, h = _swap(p3[k], p7[k], four, nibbles)
        a, c = _swap(a, c, two, pairs)
        b, d = _swap(b, d, two, pairs)
        e, g = _swap(e, g, two, pairs)
        f, h = _swap(f, h, two, pairs)
        o0[k], o1[k] = _swap(a, b, one, bits)
        o2[k], o3[k] = _swap(c, d, one, bits)
        o4[k], o5[k] = _swap(e, f, one, bits)
        o6[k], o7[k] = _swap(g, h, one, bits)


@jit
def count(words, out):
    """out[j, b] = how many rows, at most 255, have bit j of byte b set; both as words.

    Vertical counters: plane l holds bit l of 64 counts a word, and rows are added four at a time by carry.
    """
    n, length = words.shape
    nothing = np.zeros(BLOCK, np.uint64)
    planes, carry = np.empty((8, BLOCK), np.uint64), np.empty(BLOCK, np.uint64)
    for begin in range(0, length, BLOCK):
        end = min(begin + BLOCK, length)
        size = end - begin
        planes[:] = uint64(0)
        levels = 2
        for i in range(0, n, 4):
            a = words[i, begin:end]
            b = words[i + 1, begin:end] if i + 1 < n else nothing[:size]
            c = words[i + 2, begin:end] if i + 2 < n else nothing[:size]
            d = words[i + 3, begin:end] if i + 3 < n else nothing[:size]
            _add_four(a, b, c, d, planes[0], planes[1], carry[:size])
            while (1 << levels) <= min(i + 4, n):
                levels += 1
            for level in range(2, levels):
                _carry_into(planes[level, :size], carry[:size])
        _write_counts(planes, begin, end, out)


@njit(nogil=True)
def _sign_weight(byte, bit, weight):
    """The weight where the bit is set, else what is opposite to it."""
    return weight if int32(byte) & bit else -weight


@jit
def weigh(weights, chosen, messages, out):
    """out = sum of weights[k] where message chosen[k] has its bit set, of -weights[k] where not; others are not read.

    Added in the order of `column_sums.sign_sum`: rows without ties and their bits have the same sum to the last bit.
    """
    n, width, d = len(chosen), messages.shape[1], len(out)
    for j in range(8):
        bit, stop = int32(1 << j), min((j + 1) * width, d)
        for first in range(j * width, stop, COLUMNS):
            total, begin = out[first : min(first + COLUMNS, stop)], first - j * width
            end = begin + len(total)
            total[:] = total.dtype.type(0)
            done = 0
            while done + 4 <= n:
                a, b = messages[chosen[done], begin:end], messages[chosen[done + 1], begin:end]
                c, e = messages[chosen[done + 2], begin:end], messages[chosen[done + 3], begin:end]
                p, q, r, s = weights[done], weights[done + 1], weights[done + 2], weights[done + 3]
                for k in range(len(total)):
                    total[k] += (_sign_weight(a[k], bit, p) + _sign_weight(b[k], bit, q)) + (
                        _sign_weight(c[k], bit, r) + _sign_weight(e[k], bit, s)
                    )
                done += 4
            for i in range(done, n):
                a, p = messages[chosen[i], begin:end], weights[i]
                for k in range(len(total)):
                    total[k] += _sign_weight(a[k], bit, p)


@jit
def differing(a, b):
    """Return how many bits of two rows of words differ: bits added up within ever wider fields of a word."""
    pairs, nibbles, bytes_ = uint64(0x5555555555555555), uint64(0x3333333333333333), uint64(0x0F0F0F0F0F0F0F0F)
    one, two, four, top, ones = uint64(1), uint64(2), uint64(4), uint64(56), uint64(0x0101010101010101)
    total = uint64(0)
    for k in range(len(a)):
        x = a[k] ^ b[k]
        x -= (x >> one) & pairs
        x = (x & nibbles) + ((x >> two) & nibbles)
        x = (x + (x >> four)) & bytes_
        total += (x * ones) >> top
    return total


@jit
def differ(some, others, out):
    """out[i, k] = how many bits differ between row i of some and row k of the others."""
    for i in range(len(some)):
        for k in range(len(others)):
            out[i, k] = differing(some[i], others[k])


@jit
def differ_in_pairs(rows, out):
    """out[i, k] = how many bits differ between rows i and k: each pair is counted once."""
    for i in range(len(rows)):
        out[i, i] = 0
        for k in range(i):
            out[i, k] = out[k, i] = differing(rows[i], rows[k])
