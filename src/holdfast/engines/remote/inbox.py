"""What comes in during a round: rows in the workers' order, or counts that add up as they arrive."""

import numpy as np

from holdfast.engines import wire
from holdfast.engines.wire import Data, WireError
from holdfast.onebit.counter import Counter
from holdfast.typing import Rows, Tally, Workers


class Inbox:
    """The answers of one round from those who are asked in it."""

    def __init__(self, asked: Workers, dimension: int, round: int) -> None:
        self.asked, self._dimension, self._round = asked, dimension, round
        self._counter = Counter(dimension, capacity=len(asked))
        self._rows: dict[int, tuple[Rows, Workers]] = {}

    def admit(self, workers: Workers, answer: Data) -> None:
        """Take in what the shard of these workers sends, if it speaks of this round and of those asked there."""
        here = np.intersect1d(self.asked, workers, assume_unique=True)
        frame, content = wire.read(answer, self._dimension)
        if (frame.round, frame.count) != (self._round, len(here)):
            expected = f"of round {self._round} and {len(here)} workers"
            raise WireError(f"an answer must be {expected}; got {frame.round} and {frame.count}")
        if isinstance(content, Tally):
            self._counter.merge(content)
        else:
            self._rows[int(workers[0])] = wire.rows_of(frame), here

    @property
    def heard(self) -> int:
        """How many workers' messages are in."""
        return self.tally().voters + sum(len(workers) for _, workers in self._rows.values())

    def tally(self) -> Tally:
        return self._counter.tally()

    def rows(self) -> tuple[Rows, Workers] | None:
        """Return the rows and whose they are, if rows are what came."""
        if not self._rows:
            return None
        parts = [self._rows[first] for first in sorted(self._rows)]
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([workers for _, workers in parts])
