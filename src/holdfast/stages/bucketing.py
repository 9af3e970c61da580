from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.requirements import require_whole
from holdfast.stages.stage import Stage
from holdfast.streams import Stream
from holdfast.typing import Messages


@dataclass(frozen=True)
class Bucketing(Stage):
    """The means of random buckets of `size` rows; the last bucket holds what is left.

    Karimireddy, He and Jaggi (2022), Algorithm 1: with pi a random order of the rows,

        y_k = mean of x_pi(j) for (k - 1) size < j <= k size, k = 1, ..., ceil(n / size).

    The order is that of one random word for each (worker, round), so neither the order in which the rows
    arrive nor the engine matters. A bucket bears the smallest number of its workers. NaN and infinity pass
    into their bucket: while q rows lie, at most q buckets are not means of honest rows. A rule behind it
    keeps the count that it is told, and so has to bear that many among ceil(n / size) rows.

    >>> Bucketing(size=3)(np.array([[2.0], [2.0], [2.0], [2.0]]))
    array([[2.],
           [2.]])
    """

    cites: ClassVar[tuple[str, ...]] = ("karimireddy2022byzantine",)
    rotation_equivariant: ClassVar[bool] = True
    size: int = 2

    def __post_init__(self) -> None:
        require_whole(self, "size", least=1)

    def change(self, messages: Messages) -> Messages:
        rows, workers = messages.numbers, messages.workers
        words = Stream(messages.seed, "bucketing").words(workers, messages.round, 1)[:, 0]
        order = np.lexsort((workers, words))
        buckets = [order[first : first + self.size] for first in range(0, len(order), self.size)]
        weights = np.zeros((len(buckets), len(order)))
        for place, bucket in enumerate(buckets):
            weights[place, bucket] = 1 / len(bucket)
        first = np.array([workers[bucket].min() for bucket in buckets])
        return messages._replace(rows=kernels.mixtures(weights, rows), workers=first)
