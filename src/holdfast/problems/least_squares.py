from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.data import Dataset
from holdfast.priors import Ridge
from holdfast.problems.linear import LinearProblem
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class LeastSquares(LinearProblem):
    """Linear regression with a bias: one score s, `loss = (s - y)^2 / 2`; the optimum in closed form."""

    loss = kernels.LEAST_SQUARES

    @staticmethod
    def outputs_for(data: Dataset) -> int:
        return 1

    def residuals(self, scores: Rows, targets: NDArray[Any]) -> Rows:
        residuals: Rows = scores - targets[..., np.newaxis].astype(scores.dtype)
        return residuals

    def accuracy(self, model: Vector, features: NDArray[Any], targets: NDArray[Any]) -> None:
        return None

    def optimum(self, prior: Ridge, workers: Iterable[int], tolerance: float = 0.0) -> Vector:
        """Return the solution of the normal equations, `(sum_i A_i'A_i + c I) x = sum_i A_i'y_i`."""
        d = self.dimension
        left, right = prior.weight * np.eye(d), np.zeros(d)
        for worker in workers:
            first, last = self.shards.starts[worker - 1 : worker + 1]
            features = self.shards.features[first:last].astype(np.float64) * self.shards.scale
            rows = np.hstack([features, np.ones((last - first, 1))])
            share = self.weight / (last - first)
            left += share * rows.T @ rows
            right += share * rows.T @ self.shards.targets[first:last]
        solution: Vector = np.linalg.lstsq(left, right, rcond=None)[0]
        return solution
