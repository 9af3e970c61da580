"""Which nodes are asked in a round."""

from collections.abc import Collection

import numpy as np

from holdfast.streams import Stream


def sample_size(nodes: int, fraction: float, least: int, available: int, left_out: int = 0) -> int | None:
    """Return how many of the connected nodes to ask, as Flower's FedAvg does; None: wait for more to connect.

    `left_out` nodes that are not asked any more are not among them, and not waited for.

    >>> sample_size(10, 0.5, least=3, available=4), sample_size(3, 0.5, least=3, available=4)
    (5, None)
    """
    size = max(int(nodes * fraction), least - left_out, 1)
    return size if nodes >= max(size, available - left_out) else None


def sample(nodes: Collection[int], size: int, seed: int, round: int) -> list[int]:
    """Return so many of the nodes, in order: those with the smallest words of the seed for this round."""
    numbers = np.array(sorted(nodes), np.uint64)
    words = Stream(seed, "asked nodes").words(numbers.view(np.int64), round, 1)[:, 0]
    chosen: list[int] = np.sort(numbers[np.argsort(words, kind="stable")[:size]]).tolist()
    return chosen
