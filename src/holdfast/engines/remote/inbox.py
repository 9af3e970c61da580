"""The answers of one round: rows or bits in the workers' order, or counts that add up as they arrive."""

import numpy as np

from holdfast.engines import wire
from holdfast.engines.wire import Data, Kind, WireError
from holdfast.onebit import Counter
from holdfast.typing import Array, Rows, Sides, Tally, Vector, Workers


class Inbox:
    """Answers of the workers `asked`, in frames of the kind `due`, with the model's length and type.

    With `finite`, answers with NaN or infinity are refused; otherwise the rule bounds their effect.
    """

    def __init__(self, asked: Workers, model: Vector, due: Kind, round: int, finite: bool = False) -> None:
        self.asked, self._due, self._round, self._finite = asked, due, round, finite
        self._dimension, self._dtype = len(model), model.dtype
        self._counter = Counter(len(model), capacity=len(asked))
        self._rows: dict[int, Array] = {}
        self._workers: dict[int, Workers] = {}

    def admit(self, workers: Workers, answer: Data) -> None:
        """Take in the whole answer of the member with these workers, or raise WireError and take in nothing."""
        here = self.select_asked(workers)
        frame = wire.decode(answer, self._dimension)
        if (frame.round, frame.count) != (self._round, len(here)):
            expected = f"of round {self._round} and {len(here)} workers"
            raise WireError(f"an answer must be {expected}; got {frame.round} and {frame.count}")
        if frame.kind is not self._due:
            raise WireError(f"an answer must be of kind {self._due.name}; got {frame.kind.name}")
        first = int(workers[0])
        if first in self._workers:
            raise WireError("a member must answer once; got a second answer")
        if frame.kind is Kind.TALLY:
            self._counter.merge(wire.tally_of(frame))
        elif frame.kind is Kind.SIDES:
            self._rows[first] = wire.sides_of(frame)
        else:
            self._rows[first] = self._check_rows(wire.rows_of(frame))
        self._workers[first] = here

    def select_asked(self, workers: Workers) -> Workers:
        """Return the workers among these that the round asks."""
        return np.intersect1d(self.asked, workers, assume_unique=True)

    @property
    def workers(self) -> Workers:
        """The numbers of the workers whose messages are in, in order."""
        return np.concatenate([self.asked[:0], *(self._workers[first] for first in sorted(self._workers))])

    def messages(self) -> Rows | Sides | Tally:
        """Return one row per worker whose message is in, of numbers or of bits, or the count of all bits."""
        if self._due is Kind.TALLY:
            return self._counter.tally()
        rows = [self._rows[first] for first in sorted(self._rows)]
        if self._due is Kind.SIDES:
            return Sides(np.concatenate(rows), self._dimension)
        return np.concatenate(rows, dtype=self._dtype)

    def _check_rows(self, rows: Rows) -> Rows:
        if rows.dtype.newbyteorder("=") != self._dtype:
            raise WireError(f"an answer must be of type {self._dtype}; got {rows.dtype}")
        if self._finite and not np.isfinite(rows).all():
            raise WireError("an answer must be finite; got NaN or infinity")
        return rows
