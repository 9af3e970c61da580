"""The workers' training samples, kept as they came and converted when they are used; what problems on them share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Features, Rows, Targets, Vector, Workers

Relabel = Callable[[Targets, int, int], Targets]
"""`relabel(labels, classes, worker)`: the labels that a worker learns from."""
BLOCK = 4096
"""Samples converted at a time in a pass over all of them: few enough to stay in the cache."""


class Samples(NamedTuple):
    """Features `(N, ...)` and their targets `(N,)`."""

    features: Features
    targets: Targets


@dataclass(frozen=True)
class Shards:
    """Samples grouped by worker: worker i owns rows `starts[i - 1]` to `starts[i]`."""

    features: Features
    targets: Targets
    starts: NDArray[np.int64]
    scale: float = 1.0
    dtype: DTypeLike = np.float32

    @staticmethod
    def deal(
        features: Features,
        targets: Targets,
        parts: Sequence[NDArray[np.int64]],
        scale: float = 1.0,
        dtype: DTypeLike = np.float32,
    ) -> "Shards":
        """Give worker i the samples `parts[i - 1]`."""
        empty = [worker for worker, part in enumerate(parts, start=1) if not len(part)]
        if empty:
            raise InvalidInput(f"every worker needs at least one sample; got an empty shard for worker {empty[0]}")
        order = np.concatenate(parts)
        starts = np.cumsum([0, *map(len, parts)])
        return Shards(features[order], targets[order], starts, scale, dtype)

    def only(self, first: int, last: int) -> "Shards":
        """Return the samples of workers `first` to `last` alone; the others keep their numbers and have none."""
        begin, end = self.starts[first - 1], self.starts[last]
        starts = np.clip(self.starts - begin, 0, end - begin)
        return replace(
            self, features=self.features[begin:end].copy(), targets=self.targets[begin:end].copy(), starts=starts
        )

    @property
    def workers(self) -> Workers:
        return np.arange(1, len(self.starts))

    @property
    def width(self) -> int:
        """The number of features of a sample."""
        return int(self.features.shape[1])

    def thin(self, most: int) -> "Shards":
        """Return at most this many samples of each worker, evenly spaced."""
        spans = zip(self.starts[:-1], self.starts[1:], strict=True)
        parts = [np.linspace(first, last - 1, min(most, last - first)).astype(np.int64) for first, last in spans]
        return Shards.deal(self.features, self.targets, parts, self.scale, self.dtype)

    def relabel(self, workers: Workers, relabel: Relabel, classes: int) -> "Shards":
        """Return the samples with these workers' labels as `relabel(labels, classes, worker)` has them."""
        targets = self.targets.copy()
        for worker in workers.tolist():
            mine = slice(*self.starts[worker - 1 : worker + 1])
            targets[mine] = relabel(targets[mine].copy(), classes, worker)  # the others are nothing to it
        return replace(self, targets=targets)

    def scale_features(self, features: Features) -> Rows:
        """Return features as numbers of the working type, times the scale."""
        converted: Rows = features.astype(self.dtype)
        if self.scale != 1:
            converted *= self.scale
        return converted

    def of(self, worker: int) -> tuple[Features, Targets]:
        """Return a worker's raw features and targets."""
        mine = slice(*self.starts[worker - 1 : worker + 1])
        return self.features[mine], self.targets[mine]

    def rows(self, worker: int) -> NDArray[np.float64]:
        """Return a worker's samples as the loss sees them, in float64: scaled, and with a last column of ones."""
        features, _ = self.of(worker)
        return np.hstack([features.astype(np.float64) * self.scale, np.ones((len(features), 1))])

    def gram(self, worker: int) -> NDArray[np.float64]:
        """Return the mean of `a a'` over the rows `a` of a worker."""
        rows = self.rows(worker)
        return np.asarray(rows.T @ rows / len(rows))


@dataclass(frozen=True, eq=False)
class SampledProblem(ABC):
    """Local losses `F_i(x) = weight * mean over worker i's samples of loss(scores, target)`.

    The paper's weight is 1 / m, so that the workers' losses add up to an average.
    """

    shards: Shards
    outputs: int
    """How many scores a sample gets."""
    batch: int
    weight: float
    seed: int = 0
    test: Samples | None = None
    unit: float = 1.0
    """The size of one unit of the targets, if they were standardised."""

    @property
    def workers(self) -> Workers:
        return self.shards.workers

    @abstractmethod
    def measure(self, model: Vector, features: Features, targets: Targets) -> dict[str, float]:
        """Return the measures of a model on some samples: the accuracy, if the problem has classes."""

    def evaluate(self, model: Vector) -> dict[str, float]:
        """Return the measures on the test samples; none without test samples."""
        return {} if self.test is None else self.measure(model, *self.test)

    def accuracy(self, model: Vector, features: Features, targets: Targets) -> float | None:
        """Return the share of samples that the model gets right; None if targets are not classes."""
        return self.measure(model, features, targets).get("accuracy")

    def only(self, first: int, last: int) -> Self:
        """Return the problem with the samples of workers `first` to `last` alone, and none to test on."""
        return replace(self, shards=self.shards.only(first, last), test=None)

    def relabel(self, workers: Workers, relabel: Relabel) -> Self:
        """Return the problem in which these workers' labels are `relabel(labels, classes, worker)`."""
        classes = max(self.outputs, 2)  # one score tells two classes apart
        return replace(self, shards=self.shards.relabel(workers, relabel, classes))

    def thin(self, most: int) -> Self:
        """Return the problem with at most this many samples of each worker."""
        return replace(self, shards=self.shards.thin(most))
