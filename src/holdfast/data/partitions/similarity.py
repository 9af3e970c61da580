from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.base import Partition, Parts, require_enough, sorted_by_label


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

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        alike, rest = np.split(generator.permutation(len(labels)), [round(self.gamma * len(labels))])
        all_sizes, alike_sizes = (_even(len(samples), workers) for samples in (labels, alike))
        ends = np.cumsum(all_sizes - alike_sizes)[:-1]  # never negative, and together as even as it can be
        sorted_parts = np.split(sorted_by_label(rest, labels), ends)
        return [np.concatenate(both) for both in zip(np.array_split(alike, workers), sorted_parts, strict=True)]


def _even(samples: int, workers: int) -> NDArray[np.int64]:
    """Return the sizes of even shares, the larger ones first, as np.array_split cuts them."""
    return samples // workers + (np.arange(workers) < samples % workers)
