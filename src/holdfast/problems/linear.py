"""Learning with linear scores: what softmax, logistic and least-squares regression share."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast.data import Dataset, Partition
from holdfast.errors import InvalidInput
from holdfast.priors import Ridge
from holdfast.problems.shards import BLOCK, Shards
from holdfast.streams import Stream
from holdfast.typing import Oracle, Rows, Vector, Workers


@dataclass(frozen=True)
class LinearProblem(ABC):
    """Local losses `F_i(x) = weight * mean over worker i's samples of loss(scores, target)`.

    A model is a vector: first the weights `(outputs, width)` by rows, then the `outputs` biases. The
    paper's weight is 1 / m, so that the workers' losses add up to an average.
    """

    shards: Shards
    outputs: int
    batch: int
    weight: float
    seed: int = 0

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
        parts = partition.deal(data.train_targets, workers, Stream(seed, "partition").generator())
        shards = Shards.deal(data.train_features, data.train_targets, parts, scale, dtype)
        return cls(shards, cls.outputs_for(data), batch, 1 / workers if weight is None else weight, seed)

    @staticmethod
    @abstractmethod
    def outputs_for(data: Dataset) -> int:
        """Return how many scores a sample of these data gets."""

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InvalidInput(f"batch must be at least 1; got {self.batch}")

    @abstractmethod
    def losses(self, scores: Rows, targets: NDArray[Any]) -> Rows:
        """Return the loss of every sample, given scores `(..., outputs)`."""

    @abstractmethod
    def residuals(self, scores: Rows, targets: NDArray[Any]) -> Rows:
        """Return the derivatives of `losses` by the scores, in the shape of `scores`."""

    @abstractmethod
    def accuracy(self, model: Vector, features: NDArray[Any], targets: NDArray[Any]) -> float | None:
        """Return the share of samples that `model` gets right, if the problem knows right from wrong."""

    @property
    def dimension(self) -> int:
        return self.outputs * (self.shards.width + 1)

    def start(self) -> Vector:
        """Return the model that everyone starts from: 0."""
        return np.zeros(self.dimension, dtype=self.shards.dtype)

    def oracle(self, workers: Workers) -> Oracle:
        """Return what gives these workers their minibatch gradients."""
        return partial(self._minibatch_gradients, Stream(self.seed, "batch"), workers)

    def _minibatch_gradients(self, stream: Stream, workers: Workers, models: Rows, round: int, /) -> Rows:
        features, targets = self.shards.batch(stream, workers, round, self.batch)
        return self._mean_gradients(models, features, targets)

    def _mean_gradients(self, models: Rows, features: Rows, targets: NDArray[Any]) -> Rows:
        """Return `weight` times the mean gradient over the samples `(n, B)` of each worker, `(n, d)`."""
        n, samples, width = features.shape
        residuals = self.residuals(self.scores(models, features), targets) * (self.weight / samples)
        gradients = np.empty((n, self.dimension), dtype=features.dtype)
        split = self.outputs * width
        by_output = gradients[:, :split].reshape(n, self.outputs, width)
        np.matmul(residuals.swapaxes(-1, -2), features, out=by_output)
        gradients[:, split:] = residuals.sum(axis=1)
        return gradients

    def scores(self, models: Rows, features: Rows) -> Rows:
        """Return the linear scores of samples `(..., B, width)` as `(..., B, outputs)`."""
        split = self.outputs * features.shape[-1]
        weights = models[..., :split].reshape(*models.shape[:-1], self.outputs, features.shape[-1])
        biases = models[..., np.newaxis, split:]
        scores: Rows = features @ weights.swapaxes(-1, -2) + biases
        return scores

    def scores_of_all(self, model: Vector, features: NDArray[Any]) -> Rows:
        """Return the scores of raw samples, converted some at a time."""
        blocks = (features[start : start + BLOCK] for start in range(0, len(features), BLOCK))
        return np.concatenate([self.scores(model, self.shards.scaled(block)) for block in blocks])

    def local_losses(self, model: Vector, workers: Iterable[int]) -> NDArray[np.float64]:
        """Return the full local losses F_i(model) of these workers."""
        return np.array([self._local_loss(model, worker) for worker in workers])

    def _local_loss(self, model: Vector, worker: int) -> float:
        total, count = 0.0, 0
        for features, targets in self.shards.blocks(worker):
            total += float(self.losses(self.scores(model, features), targets).sum(dtype=np.float64))
            count += len(targets)
        return self.weight * total / count

    def local_gradients(self, model: Vector, workers: Iterable[int]) -> Rows:
        """Return the full local gradients of these workers, `(n, d)`."""
        return np.stack([self._local_gradient(model, worker) for worker in workers])

    def _local_gradient(self, model: Vector, worker: int) -> Vector:
        total, count = np.zeros(self.dimension), 0
        for features, targets in self.shards.blocks(worker):
            means = self._mean_gradients(model, features[np.newaxis], targets[np.newaxis])[0]
            total += len(targets) * means
            count += len(targets)
        return total / count

    def objective(self, model: Vector, prior: Ridge, workers: Iterable[int]) -> float:
        """Return the cost of eq. correct: the sum of these workers' losses plus f0."""
        return float(self.local_losses(model, workers).sum()) + prior.value(model)

    def optimum(self, prior: Ridge, workers: Iterable[int], tolerance: float = 1e-9) -> Vector:
        """Return the minimiser of eq. correct in float64, to a largest gradient entry of `tolerance`."""
        from scipy.optimize import minimize

        exact = replace(self, shards=replace(self.shards, dtype=np.float64))
        ids = list(workers)

        def cost(model: Vector) -> tuple[float, Vector]:
            gradient = exact.local_gradients(model, ids).sum(axis=0) + prior.gradient(model)
            return exact.objective(model, prior, ids), gradient

        found = minimize(
            cost,
            exact.start(),
            jac=True,
            method="L-BFGS-B",
            options={"gtol": tolerance, "ftol": 0.0, "maxiter": 100_000, "maxfun": 100_000, "maxcor": 50},
        )
        return np.asarray(found.x)
