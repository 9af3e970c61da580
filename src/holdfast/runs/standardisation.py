"""Standardised features: by what workers report of their own samples, believed only as far as a median goes.

    centre = median over workers of m_i,             m_i = mean of worker i's samples
    width  = root of the median over workers of s_i, s_i = mean of the squared differences of its samples to `centre`

all by coordinate. Byzantine workers report what their attack makes of it, anything at all. Let a_(1) <= ... <= a_(n) be
what the n honest of m workers report of a coordinate, and q = m - n < m / 2. The k-th smallest of all m reports has at
most q Byzantine ones below it, so that it is at least a_(k - q), and at most a_(k). Hence, whatever q workers report,

    a_(ceil(m / 2) - q) <= median <= a_(floor(m / 2) + 1):

centre and width stay between what honest workers report, near their middle where q is small.

Where half of the workers report s_i = 0, as of a feature that only some kinds of samples have, the width is the largest
report but `declared` many; that is no larger than the largest honest one while no more than `declared` workers are
Byzantine. A feature that does not vary for anybody keeps width 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.aggregators import Median
from holdfast.attacks import Attack
from holdfast.data import Dataset, Partition
from holdfast.data.feature_scale import Scaling
from holdfast.engines.adversary import Adversary
from holdfast.errors import InvalidInput
from holdfast.problems import Shards
from holdfast.streams import Stream
from holdfast.typing import Messages, Vector, Workers

Reports = NDArray[np.float64]
"""One row per worker, one column per feature and, last, one for the target."""


def report(shards: Shards, workers: Workers, centre: Vector, power: int) -> Reports:
    """Return the mean of each worker's differences to the `centre`, to this power: 1 or 2."""
    return np.stack([_report(shards, worker, centre, power) for worker in workers.tolist()])


def _report(shards: Shards, worker: int, centre: Vector, power: int) -> NDArray[np.float64]:
    features, targets = shards.of(worker)
    differences = np.column_stack([features, targets]).astype(np.float64) - centre
    return np.asarray((differences**power).mean(axis=0))


@dataclass(frozen=True)
class Reporting:
    """The partition of the samples, the workers that report, and the Byzantine ones among them."""

    partition: Partition
    workers: int
    taking_part: tuple[int, ...]
    attack: Attack | None
    byzantine: tuple[int, ...]
    declared: int
    seed: int
    with_target: bool
    """Whether the target is standardised too, since it is a number."""

    def scaling(self, data: Dataset) -> Scaling:
        """Return the scaling that the reports lead to."""
        parts = self.partition.deal(data.train_targets, self.workers, Stream(self.seed, "partition").generator())
        shards = Shards.deal(data.train_features.reshape(len(data.train_targets), -1), data.train_targets, parts)
        with np.errstate(over="ignore", invalid="ignore"):  # Byzantine workers report anything
            centre, squares = self._believe(shards)
        if not (np.isfinite(centre).all() and np.isfinite(squares).all()):
            raise InvalidInput(
                "scale standard needs fewer than half of the workers Byzantine, and features whose squares are finite; "
                f"got an infinite one ({len(self.byzantine)} of {len(self.taking_part)} workers are Byzantine)"
            )
        width = np.sqrt(np.where(squares > 0, squares, 1.0))
        target = (float(centre[-1]), float(width[-1])) if self.with_target else (0.0, 1.0)
        return Scaling(np.asarray(centre[:-1], np.float64), np.asarray(width[:-1], np.float64), target)

    def _believe(self, shards: Shards) -> tuple[Vector, Vector]:
        """Return what the master makes of both rounds of reports: centre and squared width."""
        workers, nothing = np.array(self.taking_part), np.zeros(shards.width + 1)
        adversary = Adversary(self.attack, workers, self.byzantine, self.seed, computing_always=True)

        def gather(centre: Vector, round: int) -> Reports:
            truths = report(shards, workers, centre, power=1 + round)
            return np.array(adversary.corrupt(Messages(truths, workers, round), nothing))

        centre = Median()(gather(nothing, 0))
        reports = gather(centre, 1)
        squares = Median()(reports)
        # NaN is last and counts as infinite, as it does for the median
        fallback = np.sort(reports, axis=0)[max(len(reports) - 1 - self.declared, 0)]
        return centre, np.where((squares == 0) & np.isfinite(fallback), fallback, squares)
