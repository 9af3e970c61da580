"""Learning with linear scores: what softmax, logistic and least-squares regression share."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast import kernels
from holdfast.data import Dataset, Partition
from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.problems.minibatches import Minibatches
from holdfast.problems.protocols import ACCURACY, Score
from holdfast.problems.solving import solve
from holdfast.problems.worker_samples import BLOCK, SampledProblem, Samples, Shards
from holdfast.streams import Stream
from holdfast.typing import Features, Rows, Targets, Vector, Workers


@dataclass(frozen=True, eq=False)
class LinearProblem(SampledProblem):
    """A problem on flat features whose scores are linear in the model.

    A model is a vector: first the weights `(outputs, width)` by rows, then the `outputs` biases.
    """

    @classmethod
    def of(
        cls,
        data: Dataset,
        partition: Partition,
        workers: int = 20,
        batch: int = 32,
        *,
        scale: float = 1.0,
        weight: float | None = None,
        dtype: DTypeLike = np.float32,
        seed: int = 0,
    ) -> Self:
        """Return the problem of learning from data dealt to this many workers; `weight` is 1 / workers if not given."""
        data = cls.prepare(data)
        generator = Stream(seed, "partition").generator()
        parts = partition.deal(data.train_targets, workers, generator)
        features = partition.seen(_flat(data.train_features), parts, generator)
        shards = Shards.deal(features, data.train_targets, parts, scale, dtype)
        test = Samples(_flat(data.test_features), data.test_targets)
        share = 1 / workers if weight is None else weight
        return cls(shards, cls.outputs_for(data), batch, share, seed, test, data.unit)

    @classmethod
    def prepare(cls, data: Dataset) -> Dataset:
        """Return the data with targets as the loss reads them: classes numbered from 0."""
        return data.number_classes()

    @staticmethod
    def outputs_for(data: Dataset) -> int:
        """Return how many scores a sample of these data gets."""
        return 1

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InvalidInput(f"batch must be at least 1; got {self.batch}")

    loss: ClassVar[int]
    """Which of the compiled losses this is."""
    curvature_bounds: ClassVar[tuple[float, float]]
    """Bounds on the eigenvalues of the loss's second derivative by the scores, at any scores."""
    gradient_bound: ClassVar[float]
    """The largest length of the loss's derivative by the scores, at any scores."""
    classifies: ClassVar[bool] = True
    """Whether targets are classes, so that models are right or wrong."""
    score: ClassVar[Score] = ACCURACY
    """The measure of `evaluate` by which models are compared."""

    @abstractmethod
    def residuals(self, scores: Rows, targets: Targets) -> Rows:
        """Return the derivatives of the loss by the scores `(..., outputs)`, in their shape."""

    @staticmethod
    @abstractmethod
    def measure_scores(scores: Rows, targets: Targets, unit: float) -> dict[str, float]:
        """Return the measures of scores `(N, outputs)`, with targets in this unit."""

    @property
    def dimension(self) -> int:
        return self.outputs * (self.shards.width + 1)

    @property
    def table(self) -> int:
        """The largest size, over workers, of the table of derivatives of the loss by the scores at all samples."""
        return self.outputs * int(np.diff(self.shards.starts).max())

    def measure(self, model: Vector, features: Features, targets: Targets) -> dict[str, float]:
        return self.measure_scores(self.scores_of_all(model, features), targets, self.unit)

    def start(self) -> Vector:
        """Return the model that all workers start from: 0."""
        return np.zeros(self.dimension, dtype=self.shards.dtype)

    def oracle(self, workers: Workers) -> Minibatches:
        """Return the oracle of these workers' minibatch gradients."""
        return Minibatches(self, self.require_workers(workers))

    def scores_of_all(self, model: Vector, features: Features) -> Rows:
        """Return the scores of raw samples `(N, width)` as `(N, outputs)`."""
        return kernels.scores(features, self.shards.scale, model, self.outputs)

    def local_losses(self, model: Vector, workers: Iterable[int]) -> NDArray[np.float64]:
        """Return the full local losses F_i(model) of these workers."""
        shards, ids = self.shards, self.require_workers(workers)
        first, last = shards.starts[ids.min() - 1], shards.starts[ids.max()]
        mine = slice(first, last)
        losses = kernels.losses(
            self.loss, shards.features[mine], shards.targets[mine], shards.scale, model, self.outputs
        )
        spans = zip(shards.starts[ids - 1] - first, shards.starts[ids] - first, strict=True)
        return np.array([self.weight * losses[begin:end].mean(dtype=np.float64) for begin, end in spans])

    def own_losses(self, models: Rows, workers: Workers) -> NDArray[np.float64]:
        """Return the full local losses F_i(x_i) of these workers, each at the model in its own row."""
        shards, losses = self.shards, np.empty(len(workers))
        for row, worker in enumerate(workers):
            samples = kernels.losses(self.loss, *shards.of(worker), shards.scale, models[row], self.outputs)
            losses[row] = samples.mean(dtype=np.float64)
        return self.weight * losses

    def local_gradients(self, model: Vector, workers: Iterable[int]) -> Rows:
        """Return the full local gradients of these workers, `(n, d)`."""
        return np.stack([self._local_gradient(model, worker) for worker in self.require_workers(workers)])

    def require_workers(self, workers: Iterable[int]) -> Workers:
        """Return the numbers of these workers; all must be workers of the problem."""
        ids = np.array(list(workers), dtype=np.int64)
        if not len(ids):
            raise InvalidInput("a problem needs at least one worker to look at; got none")
        m = len(self.shards.starts) - 1
        if ids.min() < 1 or ids.max() > m:
            raise InvalidInput(f"workers must be from 1 to {m}; got {ids[(ids < 1) | (ids > m)].min()}")
        return ids

    def _local_gradient(self, model: Vector, worker: int) -> Vector:
        features, targets = self.shards.of(worker)
        residuals = self.residuals(self.scores_of_all(model, features), targets) * (self.weight / len(targets))
        weights = np.zeros((self.outputs, self.shards.width))
        for start in range(0, len(features), BLOCK):
            block = slice(start, start + BLOCK)
            weights += residuals[block].T @ self.shards.scale_features(features[block])
        return np.concatenate([weights.ravel(), residuals.sum(axis=0)])

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        """Return the sum of these workers' full losses: the cost of eq. correct without f0."""
        return float(self.local_losses(model, workers).sum())

    def optimum(
        self, prior: Ridge, workers: Iterable[int], tolerance: float = 1e-9, evaluations: int = 100_000
    ) -> Vector:
        """Return the minimiser of eq. correct in float64; `holdfast.problems.solving` says how, and when it stops."""
        exact = replace(self, shards=replace(self.shards, dtype=np.float64))
        return solve(exact, prior, list(workers), tolerance, evaluations)


def _flat(features: Features) -> Features:
    return features.reshape(len(features), -1)
