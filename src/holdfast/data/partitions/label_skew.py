"""Workers hold different classes: samples are dealt by label."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.partition import Partition, Parts, require_enough, sort_by_label
from holdfast.errors import InvalidInput
from holdfast.typing import Targets


@dataclass(frozen=True)
class ByLabel(Partition):
    """Workers hold few classes: m / C workers share each class, or each worker gets C / m classes.

    With 20 workers and 10 digits every two workers share one digit, as in "Heterogeneous Data". In
    general, of m workers and C classes present, worker i (from 0) shares class floor(i C / m) if m >= C,
    else class c goes to worker floor(c m / C).
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        shuffled = generator.permutation(len(labels))
        classes = np.unique(labels)
        if workers < len(classes):
            owner = np.arange(len(classes)) * workers // len(classes)
            holders = owner[np.searchsorted(classes, labels[shuffled])]
            return [shuffled[holders == worker] for worker in range(workers)]
        shared = np.arange(workers) * len(classes) // workers
        parts: Parts = []
        for index, label in enumerate(classes):
            sharers = int((shared == index).sum())
            samples = shuffled[labels[shuffled] == label]
            if len(samples) < sharers:
                raise InvalidInput(
                    f"by-label needs a sample of class {label} for each of its {sharers} workers; got {len(samples)}"
                )
            parts.extend(np.array_split(samples, sharers))
        return parts


@dataclass(frozen=True)
class ShardsPerWorker(Partition):
    """Samples sorted by label and cut into even shards; each worker gets `per_worker` of them at random.

    McMahan et al. (AISTATS 2017), there 2 each of 200 shards of 300 digits: most workers hold two classes. Samples of
    one class are shuffled before the cut.

    >>> parts = ShardsPerWorker(2).deal(np.arange(8) // 2, workers=2, generator=np.random.default_rng(0))
    >>> [sorted(part.tolist()) for part in parts]
    [[2, 3, 4, 5], [0, 1, 6, 7]]
    """

    cites: ClassVar[tuple[str, ...]] = ("mcmahan2017communication",)
    per_worker: Annotated[int, Meta(ge=1)] = 2

    def __post_init__(self) -> None:
        convert_fields(self)

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        count = workers * self.per_worker
        if count > len(labels):
            raise InvalidInput(f"shards needs a sample for each of {count} shards; got {len(labels)}")
        shards = np.array_split(sort_by_label(generator.permutation(len(labels)), labels), count)
        chosen = generator.permutation(count).reshape(workers, self.per_worker)
        return [np.concatenate([shards[shard] for shard in mine]) for mine in chosen]


@dataclass(frozen=True)
class Similarity(Partition):
    """A share `gamma` of the samples is dealt evenly at random, the rest sorted by label and cut evenly.

    ByzFL's gamma-similarity, after Karimireddy et al. (ICML 2020): 1 is iid, at 0 workers hold neighbouring classes, in
    the workers' order. All have equally many samples, up to one.

    >>> parts = Similarity(0.0).deal(np.array([0, 1, 2, 1, 0, 2]), workers=3, generator=np.random.default_rng(0))
    >>> [sorted(part.tolist()) for part in parts]
    [[0, 4], [1, 3], [2, 5]]
    """

    cites: ClassVar[tuple[str, ...]] = ("gonzalez2025byzfl", "karimireddy2020scaffold")
    gamma: Annotated[float, Meta(ge=0, le=1)] = 0.33

    def __post_init__(self) -> None:
        convert_fields(self)

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        alike, rest = np.split(generator.permutation(len(labels)), [round(self.gamma * len(labels))])
        all_sizes, alike_sizes = (_divide_evenly(len(samples), workers) for samples in (labels, alike))
        ends = np.cumsum(all_sizes - alike_sizes)[:-1]  # never negative, and together as even as it can be
        sorted_parts = np.split(sort_by_label(rest, labels), ends)
        return [np.concatenate(both) for both in zip(np.array_split(alike, workers), sorted_parts, strict=True)]


def _divide_evenly(samples: int, workers: int) -> NDArray[np.int64]:
    """Return the sizes of even shares, the larger ones first, as np.array_split cuts them."""
    return samples // workers + (np.arange(workers) < samples % workers)
