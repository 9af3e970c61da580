"""How a worker's message is written before it crosses: full models without ties, or one bit per coordinate."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, cast

from holdfast.onebit.coin import coin_of
from holdfast.onebit.counter import Counter
from holdfast.typing import Messages, Rows, Sides, Tally


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
        model, rows, workers, round = messages.model, cast(Rows, messages.rows), messages.workers, messages.round
        return messages._replace(rows=coin_of(messages.seed).break_ties(model, rows, workers, round))


@dataclass(frozen=True)
class TakeSides(Encoder):
    """One bit per coordinate: on which side of the worker the master stands, ties decided by the coin."""

    sends_bits: ClassVar[bool] = True

    def encode(self, messages: Messages) -> Messages:
        model, rows, workers, round = messages.model, cast(Rows, messages.rows), messages.workers, messages.round
        return messages._replace(rows=Sides(coin_of(messages.seed).sides(model, rows, workers, round), len(model)))


def count_sides(sides: Sides) -> Tally:
    """Return the number of ones per coordinate."""
    counter = Counter(sides.dimension, capacity=len(sides.bits))
    counter.add(sides.bits)
    return counter.tally()
