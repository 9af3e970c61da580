from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data.partitions.base import Partition, Parts, require_enough


@dataclass(frozen=True)
class Iid(Partition):
    """Samples shuffled and dealt evenly: every worker sees the same distribution."""

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        return np.array_split(generator.permutation(len(labels)), workers)
