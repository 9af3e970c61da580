"""`holdfast.streams` again: the same words, in the middle of other loops."""

import numpy as np
from numba import njit, uint64

from holdfast.kernels.compile_cache import jit

GOLDEN = uint64(0x9E3779B97F4A7C15)
BLOCK = 512
"""Pairs of normal values made at a time, in the first cache."""


@njit(inline="always")
def mix(word):
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@njit(inline="always")
def start(key, worker, round):
    return mix(mix(uint64(key) ^ uint64(worker)) ^ uint64(round))


@njit(inline="always")
def word(begin, j):
    return mix(begin + uint64(j + 1) * GOLDEN)


@jit
def worker_rows(key, worker, round, starts, rows):
    """Fill `rows` with where the samples of this worker's minibatch lie."""
    first, size = starts[worker - 1], starts[worker] - starts[worker - 1]
    begin = start(key, worker, round)
    for j in range(len(rows)):
        high = word(begin, j) >> uint64(32)
        rows[j] = first + np.int64((high * uint64(size)) >> uint64(32))


@jit
def worker_without_samples(workers, starts):
    """The place in `workers` of the first that has none, or -1."""
    for i in range(len(workers)):
        if workers[i] < 1 or workers[i] >= len(starts) or starts[workers[i] - 1] >= starts[workers[i]]:
            return i
    return -1


@jit
def _uniforms(begin, first, out, bits):
    """Fill `out`, of which `bits` is the view as words, with uniform values in [1, 2), from word `first` on."""
    for j in range(len(bits)):
        bits[j] = (word(begin, first + j) >> uint64(12)) | uint64(0x3FF0000000000000)
    for j in range(len(out)):
        out[j] -= 1.0


@jit
def _taken_apart(bits, exponent_bits, mantissa_bits):
    """Split positive floats into 2^52 plus the bits of the exponent, and the mantissa in [1, 2); all as words."""
    for j in range(len(bits)):
        exponent_bits[j] = (bits[j] >> uint64(52)) | uint64(0x4330000000000000)
        mantissa_bits[j] = (bits[j] & uint64(0x000FFFFFFFFFFFFF)) | uint64(0x3FF0000000000000)


@jit
def _radii(exponents, mantissas, out):
    """out = sqrt(-2 log) of what was taken apart, the logarithm of the mantissa by its odd series."""
    for j in range(len(out)):
        exponent = exponents[j] - (4503599627370496.0 + 1023.0)
        mantissa = mantissas[j]
        high = mantissa > 1.4142135623730951
        exponent = exponent + 1.0 if high else exponent
        mantissa = 0.5 * mantissa if high else mantissa
        s = (mantissa - 1.0) / (mantissa + 1.0)
        t = s * s
        series = 1 / 15 + t * (1 / 17 + t * (1 / 19 + t * (1 / 21)))
        series = 1 / 7 + t * (1 / 9 + t * (1 / 11 + t * (1 / 13 + t * series)))
        log = exponent * 0.6931471805599453 + 2.0 * s * (1.0 + t * (1 / 3 + t * (1 / 5 + t * series)))
        out[j] = np.sqrt(-2.0 * log)


@jit
def _turn(radius, turns, cosines, sines):
    """cosines, sines = radius * cos, sin of so many turns, by their series within an eighth of a turn."""
    for j in range(len(radius)):
        quarter = np.floor(4.0 * turns[j] + 0.5)
        x = (turns[j] - 0.25 * quarter) * 6.283185307179586
        t = x * x
        sine = 1 / 362880 - t * (1 / 39916800 - t * (1 / 6227020800 - t / 1307674368000))
        sine = x * (1.0 - t * (1 / 6 - t * (1 / 120 - t * (1 / 5040 - t * sine))))
        cosine = 1 / 40320 - t * (1 / 3628800 - t * (1 / 479001600 - t * (1 / 87178291200 - t / 20922789888000)))
        cosine = 1.0 - t * (0.5 - t * (1 / 24 - t * (1 / 720 - t * cosine)))
        odd = (quarter == 1.0) | (quarter == 3.0)
        a, b = (sine, cosine) if odd else (cosine, sine)
        cosines[j] = radius[j] * (-a if (quarter == 1.0) | (quarter == 2.0) else a)
        sines[j] = radius[j] * (-b if (quarter == 2.0) | (quarter == 3.0) else b)


@jit
def normals(key, workers, round, out):
    """Fill `out` with standard normal values, one row per worker.

    The logarithm and the turn are spelt out because calls to a library's would be made one by one.
    Loops over words and loops over floats are apart because one that is both would go value by value.
    """
    count = out.shape[1]
    pairs = (count + 1) // 2
    radius, turns, exponents, spare = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    radius_bits, turns_bits = radius.view(np.uint64), turns.view(np.uint64)
    exponent_bits, mantissa_bits = exponents.view(np.uint64), spare.view(np.uint64)
    for i in range(len(workers)):
        begin = start(key, workers[i], round)
        for first in range(0, pairs, BLOCK):
            size = min(BLOCK, pairs - first)
            _uniforms(begin, first, radius[:size], radius_bits[:size])
            _uniforms(begin, pairs + first, turns[:size], turns_bits[:size])
            for j in range(size):
                radius[j] = 1.0 - radius[j]
            _taken_apart(radius_bits[:size], exponent_bits[:size], mantissa_bits[:size])
            _radii(exponents[:size], spare[:size], radius[:size])
            _turn(radius[:size], turns[:size], out[i, first : first + size], spare[:size])
            kept = min(size, count - pairs - first)
            out[i, pairs + first : pairs + first + kept] = spare[:kept]
