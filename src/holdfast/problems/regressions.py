"""The linear problems: softmax, logistic and least-squares regression, each with a bias."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from holdfast import kernels
from holdfast.data import Dataset
from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.problems.linear_problem import LinearProblem
from holdfast.problems.protocols import Score
from holdfast.typing import Rows, Targets, Vector


@dataclass(frozen=True, eq=False)
class Softmax(LinearProblem):
    """Softmax regression with a bias, the paper's problem: one score per class, cross-entropy loss.

    loss = log sum_c exp(s_c) - s_y,    d loss / d s_c = exp(s_c) / sum exp(s) - [c = y]
    """

    loss = kernels.SOFTMAX
    curvature_bounds = (0.0, 0.5)  # of diag(p) - p p' (Böhning, 1992); 0 where all scores move alike
    gradient_bound = sqrt(2)

    def __post_init__(self) -> None:
        super().__post_init__()
        labels = self.shards.targets
        if labels.min() < 0 or labels.max() >= self.outputs:  # compiled code does not ask again
            raise InvalidInput(f"labels must be from 0 to {self.outputs - 1}; got {labels.min()} to {labels.max()}")

    @classmethod
    def prepare(cls, data: Dataset) -> Dataset:
        numbered = super().prepare(data)
        if numbered.classes < 2:
            raise InvalidInput(f"softmax needs at least 2 classes; got {numbered.classes} in {data.name}")
        return numbered

    @staticmethod
    def outputs_for(data: Dataset) -> int:
        return data.classes

    def residuals(self, scores: Rows, targets: Targets) -> Rows:
        likely: Rows = np.exp(scores - scores.max(axis=-1, keepdims=True))
        likely /= likely.sum(axis=-1, keepdims=True)
        flat = likely.reshape(-1, self.outputs)
        flat[np.arange(len(flat)), targets.ravel()] -= 1
        return likely

    @staticmethod
    def measure_scores(scores: Rows, targets: Targets, unit: float) -> dict[str, float]:
        """Return the share of samples whose own class has the largest score."""
        return {"accuracy": float((scores.argmax(axis=-1) == targets).mean())}


@dataclass(frozen=True, eq=False)
class Logistic(LinearProblem):
    """Binary logistic regression with a bias: one score s, targets 0 and 1.

    loss = log(1 + exp(s)) - y s,    d loss / d s = 1 / (1 + exp(-s)) - y
    """

    loss = kernels.LOGISTIC
    curvature_bounds = (0.0, 0.25)  # p (1 - p), largest at s = 0, towards 0 far out
    gradient_bound = 1.0

    @classmethod
    def prepare(cls, data: Dataset) -> Dataset:
        numbered = super().prepare(data)
        if numbered.classes != 2:
            raise InvalidInput(f"logistic needs 2 classes; got {numbered.classes} in {data.name}")
        return numbered

    def residuals(self, scores: Rows, targets: Targets) -> Rows:
        # by tanh, which neither over- nor underflows
        likely = 0.5 * (1 + np.tanh(0.5 * scores))
        residuals: Rows = likely - targets[..., np.newaxis].astype(scores.dtype)
        return residuals

    @staticmethod
    def measure_scores(scores: Rows, targets: Targets, unit: float) -> dict[str, float]:
        """Return accuracy and, where both classes occur, the area under the ROC curve."""
        area = area_under_curve(scores[:, 0], targets)
        return {"accuracy": float(((scores[:, 0] > 0) == targets).mean())} | ({} if area is None else {"auc": area})


def area_under_curve(scores: Vector, targets: Targets) -> float | None:
    """Return how likely a sample of class 1 scores above one of class 0, equals counting one half; None without both.

    The statistic of Mann and Whitney (1947), from ranks: (R - n1 (n1 + 1) / 2) / (n0 n1), R the sum of the ranks of
    class 1.

    >>> area_under_curve(np.array([0.1, 0.4, 0.4, 0.8]), np.array([0, 0, 1, 1]))
    0.875
    """
    positive = targets == 1
    ones = int(positive.sum())
    zeros = len(targets) - ones
    if not ones or not zeros:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]  # equals share the mean of their ranks
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (zeros * ones))


@dataclass(frozen=True, eq=False)
class LeastSquares(LinearProblem):
    """Linear regression with a bias: one score s, `loss = (s - y)^2 / 2`; the optimum in closed form."""

    loss = kernels.LEAST_SQUARES
    curvature_bounds = (1.0, 1.0)
    gradient_bound = inf
    classifies = False
    score = Score("r2", "R² on the test data", share=False, symbol="R²", least=-1.0, guessing=0.0)

    @classmethod
    def prepare(cls, data: Dataset) -> Dataset:
        if data.labels is not None:
            shown = ", ".join(map(str, data.labels[:3]))
            raise InvalidInput(f"least-squares needs numbers as targets; got the labels {shown} in {data.name}")
        return data

    def residuals(self, scores: Rows, targets: Targets) -> Rows:
        return scores - targets[..., np.newaxis].astype(scores.dtype)

    @staticmethod
    def measure_scores(scores: Rows, targets: Targets, unit: float) -> dict[str, float]:
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
        return np.linalg.lstsq(left, right, rcond=None)[0]
