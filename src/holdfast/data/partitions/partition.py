"""Which worker holds which samples: the base of all partitions, `iid`, and a count of what workers hold."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Features, Targets

Parts = list[NDArray[np.int64]]
"""The indices of each worker's samples."""


class Partition(ABC):
    """A frozen dataclass that deals samples to workers; all randomness comes from the generator it is given."""

    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""

    @abstractmethod
    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        """Return the samples of each worker: every sample has one worker, every worker has a sample."""

    def seen(self, features: Features, parts: Parts, generator: np.random.Generator) -> Features:
        """Return the training features as workers see them, dealt into these parts: unchanged if not overridden."""
        return features


EVEN = 1e15
"""The largest alpha in use: its Dirichlet shares are even up to 1e-8, and the sums of much larger ones overflow."""


def require_enough(labels: Targets, workers: int) -> None:
    """Refuse more workers than samples."""
    if workers > len(labels):
        raise InvalidInput(f"workers must be at most the {len(labels)} training samples; got {workers}")


def sort_by_label(samples: NDArray[np.int64], labels: Targets) -> NDArray[np.int64]:
    """Return samples in the order of their labels; samples of one label keep their order."""
    return samples[np.argsort(labels[samples], kind="stable")]


@dataclass(frozen=True)
class Iid(Partition):
    """Samples shuffled and dealt evenly: every worker sees the same distribution."""

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        return np.array_split(generator.permutation(len(labels)), workers)


@dataclass(frozen=True)
class Among(Partition):
    """A partition among `holders`, workers by number in order; each other worker copies the samples of a holder.

    The holders together have every sample, as if the other workers had no data of their own.

    >>> from holdfast.data import ByLabel
    >>> parts = Among(ByLabel(), (1, 2)).deal(np.array([0, 1, 0, 1]), workers=3, generator=np.random.default_rng(0))
    >>> [sorted(part.tolist()) for part in parts]
    [[0, 2], [1, 3], [0, 2]]
    """

    partition: Partition
    holders: tuple[int, ...]

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        dealt = self.partition.deal(labels, len(self.holders), generator)
        own, again = dict(zip(self.holders, dealt, strict=True)), cycle(dealt)
        return [own[worker] if worker in own else next(again) for worker in range(1, workers + 1)]

    def seen(self, features: Features, parts: Parts, generator: np.random.Generator) -> Features:
        return self.partition.seen(features, [parts[worker - 1] for worker in self.holders], generator)


class Holdings(NamedTuple):
    """The samples of each worker, by class."""

    classes: Targets
    """The labels that occur, in order."""
    counts: NDArray[np.int64]
    """Samples per worker and class, `(workers, classes)`."""


def holdings(held: Any, parts: Sequence[NDArray[np.int64]] | None = None) -> Holdings:
    """Count the samples of each class that each worker holds.

    `held` are all labels, dealt into `parts`; or a problem, whose `shards` are its parts.

    >>> holdings(np.array([7, 3, 7, 7]), [np.array([0, 1]), np.array([2, 3])])
    Holdings(classes=array([3, 7]), counts=array([[1, 1], [0, 2]]))
    """
    if parts is None:
        labels, starts = held.shards.targets, held.shards.starts
        parts = np.split(np.arange(len(labels)), starts[1:-1])
    else:
        labels = np.asarray(held)
    classes, place = np.unique(labels, return_inverse=True)
    counts = [np.bincount(place[part], minlength=len(classes)) for part in parts]
    return Holdings(classes, np.array(counts))
