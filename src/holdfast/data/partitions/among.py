from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data.partitions.base import Partition, Parts


@dataclass(frozen=True)
class Among(Partition):
    """A partition among some of the workers, their numbers in order: each other one holds the samples of one of these.

    What the others hold is then missing nowhere, as if they had come with no data of their own.

    >>> from holdfast.data import ByLabel
    >>> parts = Among(ByLabel(), (1, 2)).deal(np.array([0, 1, 0, 1]), workers=3, generator=np.random.default_rng(0))
    >>> [sorted(part.tolist()) for part in parts]
    [[0, 2], [1, 3], [0, 2]]
    """

    partition: Partition
    holders: tuple[int, ...]

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        dealt = self.partition.deal(labels, len(self.holders), generator)
        own, again = dict(zip(self.holders, dealt, strict=True)), cycle(dealt)
        return [own[worker] if worker in own else next(again) for worker in range(1, workers + 1)]

    def seen(self, features: NDArray[Any], parts: Parts, generator: np.random.Generator) -> NDArray[Any]:
        return self.partition.seen(features, [parts[worker - 1] for worker in self.holders], generator)
