"""Workers hold different classes: samples are dealt by label."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.partition import EVEN, Partition, Parts, require_enough, sort_by_label
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


@dataclass(frozen=True)
class Dirichlet(Partition):
    """Workers hold classes in Dirichlet(alpha) proportions: the smaller alpha, the more workers differ.

    `per` class, each class is cut by proportions over the workers (Yurochkin et al., 2019), so that workers differ in
    their number of samples too. Cuts are rounded down from an offset that is uniform in [0, 1), so that a worker gets
    the floor or the ceiling of its share and expects exactly the share. With one offset for all, classes of like size
    would favour the same workers; ours lie 1 / C apart, and by Hermite's identity, sum_c floor(x + c / C) = floor(C x),
    even cuts of C equal classes add up to shards that differ by one sample at most. A worker that would get nothing
    takes one sample from the largest shard.

    `per` worker, each worker draws proportions over the classes, q ~ Dirichlet(alpha p) with p the shares of the
    classes in the data (Hsu et al., 2019), and takes its even share of the samples one by one, by these proportions
    among the classes that still have samples. The larger alpha, the nearer q is to p; since p adds up to 1, the
    same alpha means workers that differ more than `per` class.
    """

    cites: ClassVar[tuple[str, ...]] = ("yurochkin2019bayesian", "hsu2019measuring")
    alpha: float
    per: Literal["class", "worker"] = "class"

    def __post_init__(self) -> None:
        convert_fields(self)
        if not 0 < self.alpha < float("inf"):
            raise InvalidInput(f"dirichlet needs alpha > 0; got alpha={self.alpha}")

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        return (self._per_class if self.per == "class" else self._per_worker)(labels, workers, generator)

    def _per_class(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        pieces: list[list[NDArray[np.int64]]] = [[] for _ in range(workers)]
        classes, start = np.unique(labels), generator.random()
        for index, label in enumerate(classes):
            offset = (start + index / len(classes)) % 1
            samples = generator.permutation(np.flatnonzero(labels == label))
            shares = generator.dirichlet(np.full(workers, min(self.alpha, EVEN)))
            cuts = np.floor(np.cumsum(shares)[:-1] * len(samples) + offset).astype(np.int64)
            for worker, piece in enumerate(np.split(samples, cuts)):
                pieces[worker].append(piece)
        parts = [np.concatenate(piece) for piece in pieces]
        for worker in range(workers):
            if not len(parts[worker]):
                largest = max(range(workers), key=lambda other: len(parts[other]))
                parts[worker], parts[largest] = parts[largest][:1], parts[largest][1:]
        return parts

    def _per_worker(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        classes, place = np.unique(labels, return_inverse=True)
        left = [generator.permutation(np.flatnonzero(place == index)) for index in range(len(classes))]
        least = np.finfo(float).tiny
        prior = np.maximum(min(self.alpha, EVEN) * np.array([len(samples) for samples in left]) / len(labels), least)
        shares = generator.dirichlet(prior, size=workers)
        sizes = [len(part) for part in np.array_split(np.arange(len(labels)), workers)]
        order = generator.permutation(workers)  # the last workers take what is left: a random order favours no number
        parts: Parts = [np.empty(0, np.int64)] * workers
        for worker in order:
            wanted = np.zeros(len(classes), np.int64)
            while (missing := sizes[worker] - wanted.sum()) > 0:
                room = np.array([len(samples) for samples in left]) - wanted
                shares[worker, room == 0] = 0.0
                if shares[worker].sum() < least:
                    # what is left of a Dirichlet vector is one too, but here it has underflown: draw it anew
                    shares[worker, room > 0] = generator.dirichlet(prior[room > 0])
                draw = generator.multinomial(missing, shares[worker] / shares[worker].sum())
                wanted += np.minimum(draw, room)
            taken = [np.split(samples, [count]) for samples, count in zip(left, wanted, strict=True)]
            parts[worker] = np.concatenate([mine for mine, _ in taken])
            left = [rest for _, rest in taken]
        return parts
