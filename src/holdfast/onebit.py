"""One-bit messages: which side of the master a worker is on, a coin for ties, and the count of all bits.

The subdifferential of |x| at 0 is all of [-1, 1], so the paper allows either sign there. A constant one would
move the master by a full step on every coordinate of the first round, in which all workers start from the same
model; a fair coin moves it nowhere on average. Each toss depends only on seed, worker and round.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.kernels import bit_width
from holdfast.kernels.comparisons import find_ties
from holdfast.streams import Stream
from holdfast.typing import Bits, Messages, Rows, Sides, Tally, Vector, Workers

Counts = NDArray[np.unsignedinteger[Any]]
ONES = np.uint64(0x0101010101010101)
AT_ONCE = 255
"""Messages that are counted in bytes at a time."""


class Counter:
    """Adds up messages as they arrive; it never holds more than the counts.

    Counts of at most `capacity` voters are kept in the smallest whole numbers that hold them.
    """

    def __init__(self, dimension: int, capacity: int) -> None:
        self._ones: Counts = np.zeros(dimension, np.min_scalar_type(capacity))
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


@dataclass(frozen=True)
class Coin:
    """The coin of all workers under one seed."""

    seed: int

    def sides(self, model: Vector, rows: Rows, workers: Workers, round: int) -> Bits:
        """Return one bit per coordinate, `(n, bit_width(d))`: set where model > row, tossed where they are equal.

        NaN is not below the model: its bit is not set.
        """
        return kernels.toss_bits(model, rows, self._stream.key, workers, round)

    def break_ties(self, model: Vector, rows: Rows, workers: Workers, round: int) -> Rows:
        """Return the rows with every entry clearly on the side that its bit says: full messages without ties.

        A tied entry moves to the next number above or below the model, NaN becomes infinite.

        >>> Coin(0).break_ties(np.zeros(3), np.array([[1.0, np.nan, -2.0]]), np.array([1]), round=0)
        array([[ 1., inf, -2.]])
        """
        places = find_ties(model, rows)
        if not len(places):  # as in nearly every round after the first
            return rows
        row, place = np.divmod(places, len(model))
        tossing, of = np.unique(row, return_inverse=True)
        tosses = self._tosses(workers[tossing], round, len(model))
        width = tosses.shape[1]
        up = tosses[of, place % width] >> (place // width).astype(np.uint8) & 1  # planar: see kernels.pack_bits
        beside = np.nextafter(model[place], np.where(up, -np.inf, np.inf).astype(model.dtype))
        decided = rows.copy()
        decided[row, place] = np.where(np.isnan(rows[row, place]), np.inf, beside)
        return decided

    def _tosses(self, workers: Workers, round: int, dimension: int) -> Bits:
        words = self._stream.words(workers, round, bit_width(dimension) // 8)
        return words.astype("<u8").view(np.uint8)

    @cached_property
    def _stream(self) -> Stream:
        return Stream(self.seed, "tie")


@lru_cache(maxsize=8)  # else its key would be hashed anew in every round
def coin_of(seed: int) -> Coin:
    """Return the coin of all workers under a seed."""
    return Coin(seed)


class Encoder(ABC):
    """What an honest worker does to its message before it crosses: each row by itself, draws addressed by its worker.

    A Byzantine worker sends anything that could have crossed.
    """

    sends_bits: ClassVar[bool] = False
    """Whether a message that has crossed is one bit per coordinate."""

    @abstractmethod
    def encode(self, messages: Messages) -> Messages:
        """Return what honest workers send in place of these messages."""

    def admit(self, messages: Messages) -> Messages:
        """Return messages that hold anything as some that could have crossed; an encoder that draws says its own."""
        return self.encode(messages)


@dataclass(frozen=True)
class BreakTies(Encoder):
    """Full models in which every tie with the master's is decided by the coin."""

    def encode(self, messages: Messages) -> Messages:
        model, rows, workers, round = messages.model, messages.numbers, messages.workers, messages.round
        return messages._replace(rows=coin_of(messages.seed).break_ties(model, rows, workers, round))


@dataclass(frozen=True)
class TakeSides(Encoder):
    """One bit per coordinate: on which side of the worker the master stands, ties decided by the coin."""

    sends_bits: ClassVar[bool] = True

    def encode(self, messages: Messages) -> Messages:
        model, rows, workers, round = messages.model, messages.numbers, messages.workers, messages.round
        return messages._replace(rows=Sides(coin_of(messages.seed).sides(model, rows, workers, round), len(model)))


def count_sides(sides: Sides) -> Tally:
    """Return the number of ones per coordinate."""
    counter = Counter(sides.dimension, capacity=len(sides.bits))
    counter.add(sides.bits)
    return counter.tally()
