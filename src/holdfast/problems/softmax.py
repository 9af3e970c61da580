from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.data import Dataset
from holdfast.errors import InvalidInput
from holdfast.problems.linear import LinearProblem
from holdfast.typing import Rows


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
    def prepared(cls, data: Dataset) -> Dataset:
        numbered = super().prepared(data)
        if numbered.classes < 2:
            raise InvalidInput(f"softmax needs at least 2 classes; got {numbered.classes} in {data.name}")
        return numbered

    @staticmethod
    def outputs_for(data: Dataset) -> int:
        return data.classes

    def residuals(self, scores: Rows, targets: NDArray[Any]) -> Rows:
        likely: Rows = np.exp(scores - scores.max(axis=-1, keepdims=True))
        likely /= likely.sum(axis=-1, keepdims=True)
        flat = likely.reshape(-1, self.outputs)
        flat[np.arange(len(flat)), targets.ravel()] -= 1
        return likely

    @staticmethod
    def judged(scores: Rows, targets: NDArray[Any], unit: float) -> dict[str, float]:
        """Return the share of samples whose own class has the largest score."""
        return {"accuracy": float((scores.argmax(axis=-1) == targets).mean())}
