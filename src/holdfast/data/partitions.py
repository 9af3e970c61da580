"""Who holds which samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput

Parts = list[NDArray[np.int64]]


@dataclass(frozen=True)
class Iid:
    """Samples shuffled and dealt evenly: every worker sees the same distribution."""

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        _enough(labels, workers)
        return np.array_split(generator.permutation(len(labels)), workers)


@dataclass(frozen=True)
class ByLabel:
    """Workers hold few classes: m / C workers share each class, or each worker gets C / m classes.

    With 20 workers and 10 digits every two workers share one digit, as in "Heterogeneous Data". In
    general, of m workers and C classes present, worker i (from 0) shares class floor(i C / m) if m >= C,
    else class c goes to worker floor(c m / C).
    """

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        _enough(labels, workers)
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
class Dirichlet:
    """Each class is cut by Dirichlet(alpha) proportions: the smaller alpha, the more workers differ.

    Hsu et al. (2019). Cuts are rounded down from an offset that is uniform in [0, 1), so that a worker gets the
    floor or the ceiling of its share and expects exactly the share. With one offset for all, classes of like size
    would favour the same workers; ours lie 1 / C apart, and by Hermite's identity, sum_c floor(x + c / C) = floor(C x),
    even cuts of C equal classes add up to shards that differ by one sample at most. A worker that would get nothing
    takes one sample from the largest shard.
    """

    alpha: float

    def __post_init__(self) -> None:
        if not 0 < self.alpha < float("inf"):
            raise InvalidInput(f"dirichlet needs alpha > 0; got alpha={self.alpha}")

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        _enough(labels, workers)
        pieces: list[list[NDArray[np.int64]]] = [[] for _ in range(workers)]
        classes, start = np.unique(labels), generator.random()
        for index, label in enumerate(classes):
            offset = (start + index / len(classes)) % 1
            samples = generator.permutation(np.flatnonzero(labels == label))
            shares = generator.dirichlet(np.full(workers, self.alpha))
            cuts = np.floor(np.cumsum(shares)[:-1] * len(samples) + offset).astype(np.int64)
            for worker, piece in enumerate(np.split(samples, cuts)):
                pieces[worker].append(piece)
        parts = [np.concatenate(piece) for piece in pieces]
        for worker in range(workers):
            if not len(parts[worker]):
                largest = max(range(workers), key=lambda other: len(parts[other]))
                parts[worker], parts[largest] = parts[largest][:1], parts[largest][1:]
        return parts


Partition = Iid | ByLabel | Dirichlet

REGISTRY: dict[str, type[Partition]] = {"iid": Iid, "by-label": ByLabel, "dirichlet": Dirichlet}


def _enough(labels: NDArray[Any], workers: int) -> None:
    if workers > len(labels):
        raise InvalidInput(f"workers must be at most the {len(labels)} training samples; got {workers}")
