"""The measure of difference between two messages: the share of coordinates on which they take different sides.

A message takes a side on every coordinate: above or below the neutral message (x0 where messages are models, 0 where
they are gradients), or neither. Sides are all that l1-RSA reads of a message. The judge weighs workers by this measure
during a run (`judge`), and scores of suspicion are made from it afterwards (`suspicion`).
"""

from dataclasses import dataclass

import numpy as np

from holdfast.kernels import differing_bits
from holdfast.kernels.comparisons import Shares, Words, sides
from holdfast.streams import Stream
from holdfast.typing import Rows, Sides, Vector, Workers

LEAST_COORDINATES = 32
"""Shorter messages are not compared: on few coordinates honest workers happen to take opposite sides on most."""


@dataclass(frozen=True)
class SideWords:
    """The sides that messages take, as bits: one row of words per message."""

    words: Words
    bits: int
    """The number of bits in which opposite messages differ."""

    @staticmethod
    def of(messages: Rows | Sides, neutral: Vector) -> "SideWords":
        """Return the sides of messages of numbers or of bits.

        Numbers need two bits per coordinate, above and below. Messages of bits need one, since they leave no side open.
        Both give exactly the same shares for the same sides.
        """
        if isinstance(messages, Sides):
            return SideWords(np.ascontiguousarray(messages.bits).view(np.uint64), messages.dimension)
        return SideWords(sides(messages, neutral), 2 * len(neutral))

    def differences(self, rows: slice, others: Workers) -> Shares:
        """Return the differences of these rows from other rows, `(n, k)`."""
        return np.asarray(differing_bits(self.words[rows], self.words[others]) / self.bits)

    def all_differences(self) -> Shares:
        """Return the differences of all pairs of rows, `(n, n)`."""
        return np.asarray(differing_bits(self.words) / self.bits)


def differences(messages: Rows | Sides, neutral: Vector) -> Shares:
    """Return for all pairs the mean over coordinates of |s_i - s_k| / 2, s = sign(row - neutral).

    Opposite sides count 1, a side against none 1/2. NaN takes no side. As bits (above, below) this is the Hamming
    distance over 2 d: exact in any order of counting.
    """
    return SideWords.of(messages, neutral).all_differences()


def draw_some(numbers: Workers, count: int, purpose: str) -> Workers:
    """Return `count` of these numbers, drawn once and for all, in order."""
    words = Stream(0, purpose).words(numbers, 0, 1)[:, 0]
    return np.sort(numbers[np.argsort(words)[:count]])
