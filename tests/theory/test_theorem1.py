"""Theorem 1: at lambda >= lambda_0 the penalised problem has the optimum of the exact one, below it has not."""

from collections.abc import Callable
from math import inf
from typing import Any

import cvxpy
import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.methods.priors import Ridge
from holdfast.problems import LinearProblem
from holdfast.theory import NORMS, Curvature, Delta3, lambda0

cp: Any = cvxpy  # whose types are incomplete

PRIOR = Ridge(0.1)


def local_loss(kind: str, problem: LinearProblem, worker: int, x: Any) -> Any:
    """F_i(x) for cvxpy, from the data alone."""
    held = slice(*problem.shards.starts[worker - 1 : worker + 1])
    features, targets = problem.shards.features[held], problem.shards.targets[held]
    scores = np.hstack([features, np.ones((len(features), 1))]) @ x
    if kind == "least-squares":
        return problem.weight * cp.sum_squares(scores - targets) / 2 / len(targets)
    return problem.weight * cp.sum(cp.logistic(scores) - cp.multiply(targets, scores)) / len(targets)


def penalised_optimum(kind: str, problem: LinearProblem, p: float, weight: float) -> NDArray[np.float64]:
    """The solution of eq. tv-p by an independent solver: rows x_0, x_1, ..., x_m."""
    workers = problem.shards.workers
    x = cp.Variable((len(workers) + 1, problem.dimension))
    cost = PRIOR.weight / 2 * cp.sum_squares(x[0])
    for worker in workers:
        cost += local_loss(kind, problem, worker, x[worker]) + weight * cp.norm(
            x[worker] - x[0], "inf" if p == inf else p
        )
    cp.Problem(cp.Minimize(cost)).solve(solver=cp.CLARABEL)
    return np.asarray(x.value)


@pytest.mark.parametrize("p", [*NORMS.values(), 3])
@pytest.mark.parametrize("kind", ["least-squares", "logistic"])
def test_theorem_1(small_problem: Callable[..., LinearProblem], kind: str, p: float) -> None:
    problem = small_problem(kind, workers=4, width=2, least=8)
    exact = problem.optimum(PRIOR, problem.shards.workers)
    gradients = problem.local_gradients(exact, problem.shards.workers)
    enough = lambda0(gradients, p).max()
    mu = Curvature.of(problem, PRIOR, problem.shards.workers).least
    assert Delta3(gradients, p, enough, mu) == pytest.approx(0, abs=1e-12)
    agreed = penalised_optimum(kind, problem, p, 1.05 * enough)
    np.testing.assert_allclose(agreed, np.tile(exact, (5, 1)), atol=1e-4)
    for share, apart in ((0.5, 0.1), (0.9, 0.01)):
        split = penalised_optimum(kind, problem, p, share * enough)
        assert np.abs(split[1:] - split[0]).max() > apart
        assert np.abs(split - exact).max() > apart
        assert np.sum((split - exact) ** 2) <= Delta3(gradients, p, share * enough, mu)
