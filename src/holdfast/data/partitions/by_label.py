from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.data.partitions.base import Partition, Parts, require_enough
from holdfast.errors import InvalidInput


@dataclass(frozen=True)
class ByLabel(Partition):
    """Workers hold few classes: m / C workers share each class, or each worker gets C / m classes.

    With 20 workers and 10 digits every two workers share one digit, as in "Heterogeneous Data". In
    general, of m workers and C classes present, worker i (from 0) shares class floor(i C / m) if m >= C,
    else class c goes to worker floor(c m / C).
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
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
