from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.base import Partition, Parts
from holdfast.data.partitions.iid import Iid
from holdfast.errors import InvalidInput


@dataclass(frozen=True)
class FeatureNoise(Partition):
    """Samples dealt as in iid, seen by worker i through normal noise of i / m times this scale: sensors that differ.

    Noise-based feature imbalance (Li et al., ICDE 2022). The scale is in standard deviations of all training features.
    Test samples stay as they are. Features become float32, whatever they were.

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

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        return Iid().deal(labels, workers, generator)

    def seen(self, features: NDArray[Any], parts: Parts, generator: np.random.Generator) -> NDArray[Any]:
        seen, unit = features.astype(np.float32), self.scale * float(features.std(dtype=np.float64))
        for worker, part in enumerate(parts, start=1):
            noise = generator.standard_normal((len(part), *features.shape[1:]), np.float32)
            seen[part] += np.float32(unit * worker / len(parts)) * noise
        return seen
