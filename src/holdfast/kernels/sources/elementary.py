"""exp and log spelt out, in float64: those of the C library differ from one version and one processor to the next.

Nothing but additions, multiplications, divisions and bits, each rounded as IEEE 754 says; a loop over `exp` becomes
whole vectors. Errors stay below three units in the last place.
"""

import numpy as np
from llvmlite import ir
from numba import njit, uint64
from numba.core import types
from numba.extending import intrinsic

LOG2_E = 1.4426950408889634
LOG_2 = 0.6931471805599453
LOG_2_HIGH, LOG_2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # their sum; products with the first are exact
SHIFT = 4503599627370496.0  # 2^52: a whole number added to it stands in the last bits


@intrinsic
def _bits_of(context, x):
    return types.uint64(types.float64), lambda c, builder, s, given: builder.bitcast(given[0], ir.IntType(64))


@intrinsic
def _number_of(context, bits):
    return types.float64(types.uint64), lambda c, builder, s, given: builder.bitcast(given[0], ir.DoubleType())


@njit(inline="always")
def _power_of_two(k):
    """2^k of a whole float k from -1022 to 1023."""
    return _number_of(_bits_of(k + (SHIFT + 1023.0)) << uint64(52))


@njit(nogil=True)
def exp(x):
    """e^x = 2^k e^r with |r| <= log(2) / 2, by the series of e^r."""
    x = -746.0 if x < -746.0 else x  # NaN stays
    x = 710.0 if x > 710.0 else x
    k = np.floor(x * LOG2_E + 0.5)
    r = (x - k * LOG_2_HIGH) - k * LOG_2_LOW
    p = 1 / 39916800 + r * (1 / 479001600 + r * (1 / 6227020800))
    p = 1 / 40320 + r * (1 / 362880 + r * (1 / 3628800 + r * p))
    p = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * p))
    p = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * p))))
    half = np.floor(0.5 * k)
    return p * _power_of_two(half) * _power_of_two(k - half)


@njit(nogil=True)
def log1p(x):
    """log(1 + x) for x from 0 to 1: 2 artanh(x / (2 + x)) by its series."""
    s = x / (2.0 + x)
    t = s * s
    series = 1 / 29 + t * (1 / 31 + t * (1 / 33 + t * (1 / 35)))
    series = 1 / 21 + t * (1 / 23 + t * (1 / 25 + t * (1 / 27 + t * series)))
    series = 1 / 13 + t * (1 / 15 + t * (1 / 17 + t * (1 / 19 + t * series)))
    series = 1 / 5 + t * (1 / 7 + t * (1 / 9 + t * (1 / 11 + t * series)))
    return 2.0 * s * (1.0 + t * (1 / 3 + t * series))


@njit(nogil=True)
def log(x):
    """The logarithm of x >= 1: of its exponent, and of its mantissa by the series above."""
    if not x < np.inf:  # NaN, too
        return x
    bits = _bits_of(x)
    exponent = np.float64(bits >> uint64(52)) - 1023.0
    mantissa = _number_of((bits & uint64(0x000FFFFFFFFFFFFF)) | uint64(0x3FF0000000000000))
    return exponent * LOG_2 + log1p(mantissa - 1.0)
