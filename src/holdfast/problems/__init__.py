"""Problems: local losses, minibatch gradients at many models at once, and exact optima."""

from typing import Any

from holdfast.errors import InvalidInput
from holdfast.naming import Family
from holdfast.problems.guessing import Guess, guess
from holdfast.problems.linear_problem import LinearProblem
from holdfast.problems.modules import MODELS, ModuleProblem
from holdfast.problems.poisoning import Relabels, oracle_under
from holdfast.problems.protocols import (
    ACCURACY,
    LOSS,
    Classifying,
    Divisible,
    Problem,
    Samples,
    Score,
    Separable,
    bounds_gradients,
    declared_score,
    find_classes,
    is_problem,
)
from holdfast.problems.regressions import LeastSquares, Logistic, Softmax
from holdfast.problems.worker_samples import Shards

REGISTRY: dict[str, type[LinearProblem]] = {
    "softmax": Softmax,
    "logistic": Logistic,
    "least-squares": LeastSquares,
}

PROBLEMS: Family[Any] = Family("problem", REGISTRY, makes=lambda found: False)


def solvable(problem: Problem, asker: str) -> LinearProblem:
    """Return the problem if its optimum and curvature are known, which `asker` needs; else raise InvalidInput."""
    if not isinstance(problem, LinearProblem):
        known = ", ".join(REGISTRY)
        raise InvalidInput(f"{asker} needs a problem with a known optimum ({known}); got {type(problem).__name__}")
    return problem
