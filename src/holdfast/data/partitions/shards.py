from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.data.partitions.base import Partition, Parts, require_enough, sorted_by_label
from holdfast.errors import InvalidInput


@dataclass(frozen=True)
class ShardsPerWorker(Partition):
    """Samples sorted by label and cut into even shards, `per_worker` of them for everyone, at random.

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

    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        count = workers * self.per_worker
        if count > len(labels):
            raise InvalidInput(f"shards needs a sample for each of {count} shards; got {len(labels)}")
        shards = np.array_split(sorted_by_label(generator.permutation(len(labels)), labels), count)
        chosen = generator.permutation(count).reshape(workers, self.per_worker)
        return [np.concatenate([shards[shard] for shard in mine]) for mine in chosen]
