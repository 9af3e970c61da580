"""Stages that replace rows by means of rows: of random buckets, or of nearest neighbours."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.requirements import Declared, require_majority, require_whole
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


@dataclass(frozen=True)
class NearestNeighbourMixing(Declared, Stage):
    """Each row becomes the mean of its n - byzantine nearest rows, itself included.

    Allouah et al. (2023), "Fixing by mixing": with N_i the nearest rows of row i,

        y_i = 1 / (n - byzantine) sum_{j in N_i} x_j,

    of equally near rows those of the workers with the smallest numbers. A row with NaN or an infinity, or so
    far that its square overflows, is infinitely far from every other; a row with fewer than n - byzantine rows
    at a finite distance stays as it is. While `byzantine` rows lie, every honest row ends within
    2 byzantine / (n - byzantine) honest diameters of the honest mean: of its neighbours, at most `byzantine`
    lie, and none of them is farther than an honest row that it displaced. `byzantine=None`: the run tells.

    >>> NearestNeighbourMixing(byzantine=1)(np.array([[0.0], [1.0], [4.0], [np.inf]]))[:, 0].round(3)
    array([1.667, 1.667, 1.667,   inf])
    """

    cites: ClassVar[tuple[str, ...]] = ("allouah2023fixing",)
    rotation_equivariant: ClassVar[bool] = True

    def change(self, messages: Messages) -> Messages:
        rows = messages.numbers
        n, byzantine = len(rows), require_majority(self, len(rows))
        distances, by_number = squared_distances(rows), np.argsort(messages.workers, kind="stable")
        order = by_number[np.argsort(distances[:, by_number], axis=1, kind="stable")]
        nearest = order[:, : n - byzantine]
        mixed = np.isfinite(np.take_along_axis(distances, nearest[:, -1:], axis=1)[:, 0])
        weights = np.zeros((n, n))
        np.put_along_axis(weights, nearest, 1 / (n - byzantine), axis=1)
        weights[~mixed] = np.eye(n)[~mixed]
        return messages._replace(rows=kernels.mixtures(weights, rows))
