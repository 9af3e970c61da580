"""The optimum of eq. correct for losses that have no closed form."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from holdfast.priors import Ridge
from holdfast.typing import Vector

if TYPE_CHECKING:
    from holdfast.problems.linear import LinearProblem


def solve(
    problem: "LinearProblem", prior: Ridge, workers: list[int], tolerance: float, evaluations: int
) -> NDArray[np.float64]:
    """Return the minimiser of the sum of these workers' losses plus f0.

    L-BFGS in coordinates in which the largest possible Hessian is the identity: on raw pixels 20 gradients then come
    nearer than 100 without. It stops at a largest gradient entry of `tolerance`, where rounding lets it come no nearer
    (on raw pixels near 1e-8), or after this many evaluations.
    """
    from scipy.optimize import OptimizeResult, minimize

    white = _Whitening(problem, prior, workers)
    steepest = np.inf

    def cost(inner: Vector) -> tuple[float, Vector]:
        nonlocal steepest
        model = white.model(inner)
        gradient = problem.local_gradients(model, workers).sum(axis=0) + prior.gradient(model)
        steepest = float(np.abs(gradient).max())  # the last point a line search tries is the one it takes
        return problem.objective(model, prior, workers), white.gradient(gradient)

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
    return white.model(found.x)


class _Whitening:
    """Models as `C'^-1 z`, where `C C'` bounds the Hessian of each output from above."""

    def __init__(self, problem: "LinearProblem", prior: Ridge, workers: list[int]) -> None:
        self.outputs, self.width = problem.outputs, problem.shards.width
        hessian = prior.weight * np.eye(self.width + 1)
        for worker in workers:
            hessian += problem.bend[1] * problem.weight * problem.shards.gram(worker)
        # a pixel that is always black has no curvature of its own; without a regulariser nothing else gives it any
        hessian += 1e-12 * np.trace(hessian) * np.eye(self.width + 1)
        self.root = np.linalg.cholesky(hessian)

    def model(self, inner: Vector) -> NDArray[np.float64]:
        from scipy.linalg import solve_triangular

        return self._flat(solve_triangular(self.root, inner.reshape(-1, self.outputs), lower=True, trans="T"))

    def gradient(self, gradient: Vector) -> NDArray[np.float64]:
        from scipy.linalg import solve_triangular

        split = self.outputs * self.width
        rows = np.vstack([gradient[:split].reshape(self.outputs, self.width).T, gradient[split:]])
        return np.asarray(solve_triangular(self.root, rows, lower=True)).ravel()

    def _flat(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([rows[:-1].T.ravel(), rows[-1]])
