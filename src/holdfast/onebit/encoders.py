"""Which side of the master a worker is on, in one bit per coordinate; a fair coin decides where they are equal.

The subdifferential of |x| at 0 is all of [-1, 1], so the paper allows either sign there. A constant one would
move the master by a full step on every coordinate of the first round, in which all workers start from the same
model; a fair coin moves it nowhere on average. Each toss depends only on seed, worker and round.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.kernels.comparisons import find_ties
from holdfast.onebit.counts import Counter
from holdfast.streams import Stream
from holdfast.typing import Bits, Messages, Rows, Sides, Tally, Vector, Workers


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
        words = self._stream.words(workers, round, kernels.bit_width(dimension) // 8)
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
