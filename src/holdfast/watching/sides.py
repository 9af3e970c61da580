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
"""Shorter messages are compared by their angles: on few coordinates honest workers happen to take opposite sides."""


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


@dataclass(frozen=True)
class Angles:
    """The directions of messages. The angle between two, over pi, is the share of sides in which they would differ
    if coordinates were drawn at random.
    """

    units: Rows

    @staticmethod
    def of(messages: Rows, neutral: Vector) -> "Angles":
        """Return the directions of messages from the neutral one. A message that is not finite has none: 0."""
        rows = np.asarray(messages, np.float64) - neutral
        rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0)
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.where(largest > 0, largest, 1.0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return Angles(rows / np.where(lengths > 0, lengths, 1.0))

    def differences(self, rows: slice, others: Workers) -> Shares:
        """Return the differences of these rows from other rows, `(n, k)`: 1/2 where one has no direction."""
        # twice the arc tangent of |u - v| / |u + v| keeps its digits where the angle is small
        apart, together = (self._lengths(rows, others, sign) for sign in (-1, 1))
        return np.asarray(2 * np.arctan2(apart, together) / np.pi)

    def all_differences(self) -> Shares:
        """Return the differences of all pairs of rows, `(n, n)`."""
        return self.differences(slice(None), np.arange(len(self.units)))

    def _lengths(self, rows: slice, others: Workers, sign: int) -> Shares:
        pairs = self.units[rows][:, np.newaxis] + sign * self.units[others][np.newaxis]
        return np.asarray(np.linalg.norm(pairs, axis=2))


def choose_measure(messages: Rows | Sides, neutral: Vector) -> SideWords | Angles | None:
    """Return what compares these messages: sides, or angles where coordinates are few; nothing for few bits."""
    if len(neutral) >= LEAST_COORDINATES:
        return SideWords.of(messages, neutral)
    return None if isinstance(messages, Sides) else Angles.of(messages, neutral)


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
