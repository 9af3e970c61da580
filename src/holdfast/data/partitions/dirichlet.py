from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.partition import EVEN, Partition, Parts, require_enough
from holdfast.errors import InvalidInput
from holdfast.typing import Targets


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
