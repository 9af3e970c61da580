"""Counting on which side of the master workers stand: all that l1-RSA's master needs to know."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.kernels import bit_width
from holdfast.typing import Bits, Tally

AT_ONCE = 255
"""Messages that are counted in bytes at a time."""


class Counter:
    """Adds up messages as they arrive; it never holds more than the counts.

    Counts of at most `capacity` voters are kept in the smallest whole numbers that hold them.
    """

    def __init__(self, dimension: int, capacity: int) -> None:
        self._ones: NDArray[np.unsignedinteger[Any]] = np.zeros(dimension, np.min_scalar_type(capacity))
        self._voters, self._capacity = 0, capacity

    def add(self, messages: Bits) -> None:
        """Count `(n, bit_width(d))` messages."""
        self._admit(len(messages))
        for first in range(0, len(messages), AT_ONCE):
            self._ones += kernels.count_bits(messages[first : first + AT_ONCE], len(self._ones))

    def merge(self, tally: Tally) -> None:
        """Add counts made elsewhere: whole numbers add up to the same in any order."""
        self._admit(tally.voters)
        if tally.ones.shape != self._ones.shape:
            raise InvalidInput(f"a tally must have {len(self._ones)} coordinates; got {len(tally.ones)}")
        np.add(self._ones, tally.ones, out=self._ones, casting="unsafe")  # fits: no count exceeds the capacity

    def tally(self) -> Tally:
        return Tally(self._ones, self._voters)

    def _admit(self, voters: int) -> None:
        self._voters += voters
        if self._voters > self._capacity:
            raise InvalidInput(f"at most {self._capacity} voters must be counted; got {self._voters}")


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
