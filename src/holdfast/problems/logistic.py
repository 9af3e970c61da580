from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.data import Dataset
from holdfast.errors import InvalidInput
from holdfast.problems.linear import LinearProblem
from holdfast.typing import Rows, Vector


@dataclass(frozen=True, eq=False)
class Logistic(LinearProblem):
    """Binary logistic regression with a bias: one score s, targets 0 and 1.

    loss = log(1 + exp(s)) - y s,    d loss / d s = 1 / (1 + exp(-s)) - y
    """

    loss = kernels.LOGISTIC
    curvature_bounds = (0.0, 0.25)  # p (1 - p), largest at s = 0, towards 0 far out
    gradient_bound = 1.0

    @classmethod
    def prepared(cls, data: Dataset) -> Dataset:
        numbered = super().prepared(data)
        if numbered.classes != 2:
            raise InvalidInput(f"logistic needs 2 classes; got {numbered.classes} in {data.name}")
        return numbered

    @staticmethod
    def outputs_for(data: Dataset) -> int:
        return 1

    def residuals(self, scores: Rows, targets: NDArray[Any]) -> Rows:
        # by tanh, which neither over- nor underflows
        likely = 0.5 * (1 + np.tanh(0.5 * scores))
        residuals: Rows = likely - targets[..., np.newaxis].astype(scores.dtype)
        return residuals

    @staticmethod
    def judged(scores: Rows, targets: NDArray[Any], unit: float) -> dict[str, float]:
        """Return accuracy and, where both classes occur, the area under the ROC curve."""
        area = area_under_curve(scores[:, 0], targets)
        return {"accuracy": float(((scores[:, 0] > 0) == targets).mean())} | ({} if area is None else {"auc": area})


def area_under_curve(scores: Vector, targets: NDArray[Any]) -> float | None:
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
