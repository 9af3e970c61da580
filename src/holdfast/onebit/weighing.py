"""Summing the bits of workers that count differently."""

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast import kernels
from holdfast.onebit.counter import Counter
from holdfast.typing import Sides, Vector


def weighted_signs(sides: Sides, weights: NDArray[np.float64], dtype: DTypeLike) -> Vector:
    """Return sum_i w_i sign(x0 - x_i), ties decided: each worker adds w_i or -w_i.

    Whoever weighs 0 is not read. Where all others weigh 1, as nearly always, their bits are counted.

    >>> weighted_signs(Sides(np.array([[1] * 8, [0] * 8], np.uint8), 2), np.array([1.0, 0.5]), np.float32)
    array([0.5, 0.5], dtype=float32)
    """
    heard = weights != 0
    if (weights[heard] != 1).any():
        return kernels.weigh_bits(sides.bits, weights.astype(dtype), sides.dimension)
    counter = Counter(sides.dimension, capacity=len(weights))
    counter.add(sides.bits if heard.all() else sides.bits[heard])
    return counter.tally().signs(dtype)
