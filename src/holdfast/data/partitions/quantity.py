from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.base import EVEN, Partition, Parts, require_enough
from holdfast.errors import InvalidInput


@dataclass(frozen=True)
class Quantity(Partition):
    """Workers hold the same distribution but Dirichlet(alpha) shares of the samples: the smaller alpha, the less even.

    Quantity skew (Li et al., ICDE 2022), there with 0.5. Everyone gets one sample first, so that nobody goes without;
    the shares are of the others.

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

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        shuffled = generator.permutation(len(labels))
        shares = generator.dirichlet(np.full(workers, min(self.alpha, EVEN)))
        ends = np.arange(1, workers) + np.floor(np.cumsum(shares)[:-1] * (len(labels) - workers)).astype(np.int64)
        return np.split(shuffled, np.minimum(ends, len(labels) - workers + np.arange(1, workers)))
