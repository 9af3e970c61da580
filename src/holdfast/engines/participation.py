"""Who is asked in a round."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Workers


@dataclass(frozen=True)
class Participation:
    """A random share of the workers each round: always the same number, ceil(share * m) >= 1, never the same ones.

    Each worker draws an addressed number, and the smallest are asked; so every engine asks the same ones.

    >>> Participation(np.arange(1, 11), share=0.3, seed=1).asked(round=0)
    array([ 6,  7, 10])
    """

    workers: Workers
    share: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InvalidInput(f"participation must be above 0 and at most 1; got {self.share}")

    @cached_property
    def size(self) -> int:
        """How many are asked in a round."""
        # rounded first: 0.1 * 30 is 3.0000000000000004
        return max(1, ceil(round(self.share * len(self.workers), 9)))

    def asked(self, round: int) -> Workers:
        """Return the numbers of those who are asked, in order."""
        if self.size == len(self.workers):
            return self.workers
        draws = Stream(self.seed, "participation").words(self.workers, round, 1)[:, 0]
        return self.workers[np.sort(np.argpartition(draws, self.size - 1)[: self.size])]
