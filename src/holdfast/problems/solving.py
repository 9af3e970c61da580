"""The optimum of eq. correct for losses that have no closed form."""

import logging
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from holdfast.methods.priors import Ridge
from holdfast.typing import Vector

if TYPE_CHECKING:
    from holdfast.problems.linear_problem import LinearProblem

logger = logging.getLogger(__name__)
TYPICAL = 0.2
"""The typical second derivative of a loss over the largest: found by trial on MNIST. Steps of this size descend for
certain."""
POLISH = 1000
"""Plain gradient steps at the end, at most."""


def solve(
    problem: "LinearProblem", prior: Ridge, workers: list[int], tolerance: float, evaluations: int
) -> NDArray[np.float64]:
    """Return the minimiser of the sum of these workers' losses plus f0.

    L-BFGS in coordinates in which a typical Hessian is the identity: on raw pixels 20 gradients then come nearer than
    100 without. Plain gradient steps follow where rounding of the cost ends it early. All stops at a largest gradient
    entry of `tolerance`, after this many evaluations, or at the last of those steps.
    """
    # threads gain nothing on matrices with few columns, and waste most of their time where others compute too
    with threadpool_limits(1, "blas"):
        return _minimise(problem, prior, workers, tolerance, evaluations)


def _minimise(
    problem: "LinearProblem", prior: Ridge, workers: list[int], tolerance: float, evaluations: int
) -> NDArray[np.float64]:
    from scipy.optimize import OptimizeResult, minimize

    pool = _Pool(problem, workers)
    white = _Whitening(pool, prior, problem.curvature_bounds[1])
    steepest, gradients = np.inf, 0

    def cost(inner: Vector) -> tuple[float, Vector]:
        nonlocal steepest, gradients
        gradients += 1
        logger.debug("gradient %d of at most %d", gradients, evaluations, extra={"done": gradients, "of": evaluations})
        model = white.model(inner)
        gradient = pool.gradient(model) + prior.gradient(model)
        steepest = float(np.abs(gradient).max())  # the last point a line search tries is the one it takes
        return problem.objective(model, workers) + prior.value(model), white.gradient(gradient)

    def near_enough(intermediate_result: OptimizeResult) -> None:
        if steepest <= tolerance:
            raise StopIteration

    found = minimize(
        cost,
        np.zeros(problem.dimension),
        jac=True,
        method="L-BFGS-B",
        callback=near_enough,
        options={"gtol": 0.0, "ftol": 0.0, "maxiter": evaluations, "maxfun": evaluations, "maxcor": 50},
    )
    # L-BFGS ends where rounding hides that the cost still falls; the gradient is known better than that
    inner = found.x
    for _ in range(min(POLISH, evaluations - found.nfev)):
        gradient = cost(inner)[1]
        if steepest <= tolerance:
            break
        inner = inner - TYPICAL * gradient
    return white.model(inner)


class _Pool:
    """The samples of all workers as one: their loss is the sum of the workers' losses, in one pass instead of many."""

    def __init__(self, problem: "LinearProblem", workers: list[int]) -> None:
        self.problem, self.outputs = problem, problem.outputs
        parts = [problem.shards.rows(worker) for worker in workers]
        self.rows = np.concatenate(parts)
        self.targets = np.concatenate([problem.shards.of(worker)[1] for worker in workers])
        self.shares = np.concatenate([np.full(len(part), problem.weight / len(part)) for part in parts])[:, np.newaxis]

    def gradient(self, model: Vector) -> NDArray[np.float64]:
        scores = self.rows @ self.matrix(model)
        return self.flat(self.rows.T @ (self.problem.residuals(scores, self.targets) * self.shares))

    def gram(self) -> NDArray[np.float64]:
        return np.asarray(self.rows.T @ (self.rows * self.shares))

    def matrix(self, model: Vector) -> NDArray[np.float64]:
        """Return the model as `(features + 1, outputs)`, the biases last."""
        split = len(model) - self.outputs
        return np.vstack([model[:split].reshape(self.outputs, -1).T, model[split:]])

    @staticmethod
    def flat(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([matrix[:-1].T.ravel(), matrix[-1]])


class _Whitening:
    """Models as `C'^-1 z`, where `C C'` is a typical Hessian of each output; most samples have little curvature."""

    def __init__(self, pool: _Pool, prior: Ridge, curvature: float) -> None:
        self.pool = pool
        hessian = TYPICAL * curvature * pool.gram()
        # a pixel that is always black has no curvature of its own; without a regulariser nothing else gives it any
        hessian += (prior.weight + 1e-12 * np.trace(hessian)) * np.eye(len(hessian))
        self.root = np.linalg.cholesky(hessian)

    def model(self, inner: Vector) -> NDArray[np.float64]:
        from scipy.linalg import solve_triangular

        matrix = inner.reshape(-1, self.pool.outputs)
        return self.pool.flat(solve_triangular(self.root, matrix, lower=True, trans="T"))

    def gradient(self, gradient: Vector) -> NDArray[np.float64]:
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.root, self.pool.matrix(gradient), lower=True)).ravel()
