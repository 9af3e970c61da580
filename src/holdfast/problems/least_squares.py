from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.data import Dataset
from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.problems.linear import LinearProblem
from holdfast.problems.scores import Score
from holdfast.typing import Rows, Vector


@dataclass(frozen=True, eq=False)
class LeastSquares(LinearProblem):
    """Linear regression with a bias: one score s, `loss = (s - y)^2 / 2`; the optimum in closed form."""

    loss = kernels.LEAST_SQUARES
    curvature_bounds = (1.0, 1.0)
    gradient_bound = inf
    classifies = False
    score = Score("r2", "R² on the test data", share=False, symbol="R²", least=-1.0)

    @classmethod
    def prepared(cls, data: Dataset) -> Dataset:
        if data.labels is not None:
            shown = ", ".join(map(str, data.labels[:3]))
            raise InvalidInput(f"least-squares needs numbers as targets; got the labels {shown} in {data.name}")
        return data

    @staticmethod
    def outputs_for(data: Dataset) -> int:
        return 1

    def residuals(self, scores: Rows, targets: NDArray[Any]) -> Rows:
        residuals: Rows = scores - targets[..., np.newaxis].astype(scores.dtype)
        return residuals

    @staticmethod
    def judged(scores: Rows, targets: NDArray[Any], unit: float) -> dict[str, float]:
        """Return the root of the mean squared error, in the units of the data, and the share of variance explained.

        R2 = 1 - sum (y - s)^2 / sum (y - mean y)^2; left out where the targets do not vary.
        """
        errors = scores[:, 0].astype(np.float64) - targets
        spread = float(((targets - targets.mean()) ** 2).sum())
        found = {"rmse": unit * float(np.sqrt((errors**2).mean()))}
        return found | ({"r2": 1 - float((errors**2).sum()) / spread} if spread else {})

    def optimum(self, prior: Ridge, workers: Iterable[int], tolerance: float = 0.0, evaluations: int = 1) -> Vector:
        """Return the solution of the normal equations, `(sum_i A_i'A_i + c I) x = sum_i A_i'y_i`."""
        left, right = prior.weight * np.eye(self.dimension), np.zeros(self.dimension)
        for worker in workers:
            rows, (_, targets) = self.shards.rows(worker), self.shards.of(worker)
            share = self.weight / len(rows)
            left += share * rows.T @ rows
            right += share * rows.T @ targets
        solution: Vector = np.linalg.lstsq(left, right, rcond=None)[0]
        return solution
