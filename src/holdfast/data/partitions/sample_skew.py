"""Workers hold the same classes, in different numbers or seen through different sensors."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from holdfast.conversion import convert_fields
from holdfast.data.partitions.partition import EVEN, Iid, Partition, Parts, require_enough
from holdfast.errors import InvalidInput
from holdfast.typing import Features, Targets


@dataclass(frozen=True)
class Quantity(Partition):
    """Workers hold the same distribution but Dirichlet(alpha) shares of the samples: the smaller alpha, the less even.

    Quantity skew (Li et al., ICDE 2022), there with 0.5. Each worker gets one sample first; the shares are of the other
    samples.

    >>> parts = Quantity(0.5).deal(np.zeros(100), workers=4, generator=np.random.default_rng(0))
    >>> sum(map(len, parts)), min(map(len, parts)) >= 1
    (100, True)
    """

    cites: ClassVar[tuple[str, ...]] = ("li2022federated",)
    alpha: float = 0.5

    def __post_init__(self) -> None:
        convert_fields(self)
        if not 0 < self.alpha < inf:
            raise InvalidInput(f"quantity needs alpha > 0; got alpha={self.alpha}")

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        shuffled = generator.permutation(len(labels))
        shares = generator.dirichlet(np.full(workers, min(self.alpha, EVEN)))
        ends = np.arange(1, workers) + np.floor(np.cumsum(shares)[:-1] * (len(labels) - workers)).astype(np.int64)
        return np.split(shuffled, np.minimum(ends, len(labels) - workers + np.arange(1, workers)))


@dataclass(frozen=True)
class FeatureNoise(Partition):
    """Samples dealt as in iid, seen by worker i through normal noise of i / m times this scale: sensors that differ.

    Noise-based feature imbalance (Li et al., ICDE 2022). The scale is in standard deviations of all training features.
    Test samples stay as they are. Features become float32.

    >>> features = np.array([[0.0], [2.0], [0.0], [2.0]])
    >>> FeatureNoise(0.0).seen(features, [np.array([0, 1]), np.array([2, 3])], np.random.default_rng(0)).tolist()
    [[0.0], [2.0], [0.0], [2.0]]
    """

    cites: ClassVar[tuple[str, ...]] = ("li2022federated",)
    scale: float = 1.0

    def __post_init__(self) -> None:
        convert_fields(self)
        if not 0 <= self.scale < inf:
            raise InvalidInput(f"feature-noise needs scale >= 0; got scale={self.scale}")

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        return Iid().deal(labels, workers, generator)

    def seen(self, features: Features, parts: Parts, generator: np.random.Generator) -> Features:
        seen, unit = features.astype(np.float32), self.scale * float(features.std(dtype=np.float64))
        for worker, part in enumerate(parts, start=1):
            noise = generator.standard_normal((len(part), *features.shape[1:]), np.float32)
            seen[part] += np.float32(unit * worker / len(parts)) * noise
        return seen
