"""What is learned: local losses, their minibatch gradients for many models at once, and exact optima."""

from holdfast.problems.least_squares import LeastSquares
from holdfast.problems.linear import LinearProblem
from holdfast.problems.logistic import Logistic
from holdfast.problems.shards import Shards
from holdfast.problems.softmax import Softmax

REGISTRY: dict[str, type[LinearProblem]] = {
    "softmax": Softmax,
    "logistic": Logistic,
    "least-squares": LeastSquares,
}

__all__ = ["REGISTRY", "LeastSquares", "LinearProblem", "Logistic", "Shards", "Softmax"]
