"""Counting on which side of the master workers stand: all that l1-RSA's master needs to know."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.errors import InvalidInput
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
        """Count what somebody has counted already: whole numbers add up in any order to the same."""
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
