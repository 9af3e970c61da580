"""The replies of one round that can be used: stacked for a rule, or added up as they come for the mean."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.federation.aggregation import Aggregation
from holdfast.federation.layout import Arrays, Layout
from holdfast.federation.stored import Unfit
from holdfast.streams import Stream
from holdfast.typing import Messages, Vector
from holdfast.watching import differences

SAMPLE = 2**13
"""Coordinates on which nodes are compared: the share on which two differ is then known to 0.006."""


class Result(NamedTuple):
    """A new model, each node's weight in it where there are such, and what stages and rule remember."""

    model: dict[str, NDArray[Any]]
    weights: Vector | None
    memory: Any


class Gathering(ABC):
    """Replies to one layout. Counters and masks are kept apart: distances and means have no meaning for them."""

    def __init__(self, sent: Layout, seed: int) -> None:
        self._sent, self._seed = sent, seed
        self.nodes: list[int] = []
        """Whose replies are in it."""
        self._others: list[Arrays] = []
        self._samples: list[Vector] = []
        self._coordinates = _drawn(len(sent.vector), seed)

    def add(self, node: int, arrays: Arrays) -> None:
        """Take in a reply that has been read."""
        self._take(node, arrays)
        self._samples.append(self._sent.sample(arrays, self._coordinates))
        self._others.append(self._sent.without_place(arrays))
        self.nodes.append(node)

    def disagreement(self) -> dict[int, float]:
        """Return for each node how its update disagrees with the others'."""
        if not self.nodes:
            return {}
        rows, n = np.stack(self._samples), len(self.nodes)
        others = differences(rows, np.zeros_like(rows[0]))[~np.eye(n, dtype=bool)].reshape(n, n - 1)
        shares = np.median(others, axis=1) if n > 1 else np.zeros(1)
        return dict(zip(self.nodes, shares.tolist(), strict=True))

    def result(self, round: int, memory: Any, found: int) -> Result:
        """Return the new model; OverflowError if it is not finite. `found` replies were no use."""
        vector, weights, memory = self._vector(round, memory, found)
        model = self._sent.model(vector, _middle(self._others))
        if not all(np.isfinite(array).all() for array in model.values()):
            raise OverflowError("a model must stay finite; got an overflow")
        return Result(model, weights, memory)

    @abstractmethod
    def _take(self, node: int, arrays: Arrays) -> None: ...

    @abstractmethod
    def _vector(self, round: int, memory: Any, found: int) -> tuple[Vector, Vector | None, Any]: ...


class Stacked(Gathering):
    """The updates as rows, for any rule."""

    def __init__(self, sent: Layout, seed: int, aggregation: Aggregation, numbers: Mapping[int, int]) -> None:
        super().__init__(sent, seed)
        self._aggregation, self._numbers = aggregation, numbers
        self._rows = np.empty((len(numbers), len(sent.vector)), sent.vector.dtype)

    def _take(self, node: int, arrays: Arrays) -> None:
        self._sent.difference(arrays, out=self._rows[len(self.nodes)])

    def _vector(self, round: int, memory: Any, found: int) -> tuple[Vector, Vector | None, Any]:
        rows = self._rows[: len(self.nodes)]
        workers = np.array([self._numbers[node] for node in self.nodes])
        made = self._aggregation(Messages(rows, workers, round, self._seed), memory, found)
        with np.errstate(over="ignore"):
            return self._sent.vector + made.vector, made.weights, made.memory


class Averaged(Gathering):
    """The mean, by one sum over the bytes that came: beyond these its memory is that of one model."""

    def __init__(self, sent: Layout, seed: int, examples: Mapping[int, float] | None) -> None:
        super().__init__(sent, seed)
        self._examples = examples
        self._replies: list[Arrays] = []

    def _take(self, node: int, arrays: Arrays) -> None:
        if self._examples is not None and node not in self._examples:
            raise Unfit("a node must have examples declared by the server; got none")
        self._replies.append(arrays)

    def _vector(self, round: int, memory: Any, found: int) -> tuple[Vector, Vector | None, Any]:
        counts = [1.0 if self._examples is None else float(self._examples[node]) for node in self.nodes]
        weights = np.array(counts) / sum(counts)
        total = self._sent.total(self._replies, [] if self._examples is None else counts)
        total /= total.dtype.type(sum(counts))
        return total, weights, memory


def _middle(others: list[Arrays]) -> Arrays:
    """Return the lower median of every entry: a value that some node sent, between two honest ones if most are."""
    return [np.asarray(np.sort(np.stack(same), axis=0)[(len(same) - 1) // 2]) for same in zip(*others, strict=True)]


@lru_cache(maxsize=1)
def _drawn(dimension: int, seed: int) -> NDArray[np.int64]:
    """Return the coordinates on which nodes are compared, in order: all, or a sample that no node can guess."""
    if dimension <= SAMPLE:
        return np.arange(dimension)
    return np.sort(Stream(seed, "compared coordinates").generator().integers(0, dimension, SAMPLE))
