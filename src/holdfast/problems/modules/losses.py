"""The losses of the linear problems for the scores of any model: means over samples."""

from collections.abc import Callable
from typing import Any

from holdfast.problems.least_squares import LeastSquares
from holdfast.problems.linear import LinearProblem
from holdfast.problems.logistic import Logistic
from holdfast.problems.modules.library import library
from holdfast.problems.softmax import Softmax

Loss = Callable[[Any, Any], Any]
"""From scores `(B, outputs)` and targets `(B,)`, both tensors, to the mean loss."""


def cross_entropy(scores: Any, targets: Any) -> Any:
    return library().nn.functional.cross_entropy(scores, targets)


def log_loss(scores: Any, targets: Any) -> Any:
    return library().nn.functional.binary_cross_entropy_with_logits(scores[..., 0], targets.to(scores.dtype))


def half_squared_error(scores: Any, targets: Any) -> Any:
    return 0.5 * library().nn.functional.mse_loss(scores[..., 0], targets.to(scores.dtype))


LOSSES: dict[type[LinearProblem], Loss] = {
    Softmax: cross_entropy,
    Logistic: log_loss,
    LeastSquares: half_squared_error,
}
