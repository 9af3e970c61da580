"""Counts as bit planes: plane l holds bit l of every count, in the layout of a message of bits.

Eight coordinates share a byte of a plane, `width` apart; so the bytes of eight rows of counts become one row of
a plane by shifts of whole words, eight counts at a time.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels import bit_width
from holdfast.typing import Bits

Counts = NDArray[np.unsignedinteger[Any]]
ONES = np.uint64(0x0101010101010101)


def planes_of(counts: Counts, levels: int) -> Bits:
    """Return the lowest `levels` bits of the counts, `(levels, bit_width(d))`."""
    width = bit_width(len(counts))
    planes = np.zeros((levels, width), np.uint8)
    for low in range(0, levels, 8):
        rows = np.zeros((8, width), np.uint8)
        rows.reshape(-1)[: len(counts)] = counts >> low if low else counts  # the low byte of each
        words = rows.view("<u8")
        for level in range(low, min(low + 8, levels)):
            plane = planes[level].view("<u8")
            for j in range(8):
                plane |= ((words[j] >> np.uint64(level - low)) & ONES) << np.uint64(j)
    return planes


def counts_of(planes: Bits, dimension: int) -> Counts:
    """Return the counts whose bits these planes hold, in the smallest numbers with that many bits."""
    levels, width = planes.shape
    kind = np.min_scalar_type((1 << levels) - 1)
    counts = np.zeros(dimension, kind)
    for low in range(0, levels, 8):
        rows = np.zeros((8, width), np.uint8)
        words = rows.view("<u8")
        for level in range(low, min(low + 8, levels)):
            plane = planes[level].view("<u8")
            for j in range(8):
                words[j] |= ((plane >> np.uint64(j)) & ONES) << np.uint64(level - low)
        byte = rows.reshape(-1)[:dimension]
        counts |= byte.astype(kind) << low if low else byte
    return counts
