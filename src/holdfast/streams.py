"""Addressed randomness: a draw belongs to (seed, purpose, worker, round), never to the order of calls.

So a worker alone in its process draws exactly what it drew as one row of a simulation, a resumed run
draws what the uninterrupted run would have drawn, and no generator state has to be stored or sent.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.typing import Array, Workers

Words = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mix(words: Words) -> Words:
    """SplitMix64's finaliser: a bijection of 64-bit words in which every bit depends on every bit."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


@dataclass(frozen=True)
class Stream:
    """All draws of one purpose under one seed.

    Worker and round choose a starting point by hashing; from there SplitMix64 (Steele, Lea and Flood,
    2014) counts on: word j is `mix(start + (j + 1) * GOLDEN)`.

    >>> stream = Stream(seed=0, purpose="batch")
    >>> both, alone = stream.words(np.array([3, 7]), round=5, count=4), stream.words(np.array([7]), 5, 4)
    >>> bool((both[1] == alone[0]).all())
    True
    """

    seed: int
    purpose: str

    @cached_property
    def key(self) -> int:
        """The 64 bits that seed and purpose come down to."""
        text = f"{self.seed}/{self.purpose}".encode()
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")

    def words(self, workers: Workers, round: int, count: int) -> Words:
        """Return 64 random bits for every worker and j < count, as `(n, count)`."""
        key = np.full(len(workers), self.key, dtype=np.uint64)
        start = _mix(_mix(key ^ workers.astype(np.uint64)) ^ np.uint64(round))
        return _mix(start[:, None] + np.arange(1, count + 1, dtype=np.uint64) * GOLDEN)

    def integers(self, workers: Workers, round: int, bounds: Array, count: int) -> NDArray[np.int64]:
        """Return integers in `[0, bounds[i])` for worker i, uniform up to `bounds[i] / 2**32`."""
        high = self.words(workers, round, count) >> np.uint64(32)
        return ((high * bounds.astype(np.uint64)[:, None]) >> np.uint64(32)).astype(np.int64)

    def normals(self, workers: Workers, round: int, count: int) -> NDArray[np.float64]:
        """Return standard normal values by Box and Muller's transform, as `(n, count)`."""
        return kernels.normals(self.key, workers, round, count)

    def generator(self) -> np.random.Generator:
        """Return a generator for what is drawn once, before any round: splits and partitions."""
        return np.random.Generator(np.random.PCG64(self.key))
