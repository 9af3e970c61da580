"""The constants delta_i^2 of Assumption 3: how much minibatch gradients vary."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from holdfast.problems import LinearProblem, solvable
from holdfast.typing import Vector


def variance(problem: LinearProblem, model: Vector, workers: Iterable[int]) -> NDArray[np.float64]:
    """Return E|grad F_i(model, minibatch) - grad F_i(model)|^2 of each worker: exact, at this one model.

    A minibatch is B independent draws, so this is 1/B of a single sample's variance; with residual r and row a a
    sample's gradient is r a', of squared length |r|^2 |a|^2.
    """
    problem = solvable(problem, "variance")
    exact = replace(problem, shards=replace(problem.shards, dtype=np.float64))
    model = model.astype(np.float64)
    found = []
    for worker in workers:
        features, targets = exact.shards.of(worker)
        residuals = exact.residuals(exact.scores_of_all(model, features), targets)
        square = np.mean(np.sum(residuals**2, axis=1) * np.sum(exact.shards.rows(worker) ** 2, axis=1))
        mean = exact.local_gradients(model, [worker])[0]
        found.append(exact.weight**2 * square - mean @ mean)
    # clamp: rounding can make the variance of equal gradients negative
    return np.asarray(np.maximum(found, 0) / problem.batch)


def variance_bound(
    problem: LinearProblem, workers: Iterable[int], centre: Vector, radius: float
) -> NDArray[np.float64]:
    """Return numbers delta_i^2 that no variance exceeds at models within `radius` of `centre`.

    Where the derivative of the loss by the scores is bounded (logistic, softmax), the bound holds at every model, as
    Assumption 3 asks: the variance is at most weight^2 gradient_bound^2 (mean of |a|^2) / B.

    For least squares no such number exists: the variance grows with the square of the distance. Its root is the
    length (in the mean) of an affine function of the model, so within the ball it is at most
    root at the centre + radius * sqrt(lambda_max(P_i)), P_i = weight^2 / B (mean of |a|^2 a a' - G_i^2). The theorems'
    proofs use Assumption 3 at the honest workers' iterates only, so they hold for runs whose x_i stay in the ball.
    """
    problem, ids = solvable(problem, "variance"), list(workers)
    share = problem.weight**2 / problem.batch
    if np.isfinite(problem.gradient_bound):
        lengths = np.array([np.mean(np.sum(problem.shards.rows(worker) ** 2, axis=1)) for worker in ids])
        return np.asarray(share * problem.gradient_bound**2 * lengths)
    growth = np.array([share * _growth(problem.shards.rows(worker)) for worker in ids])
    return np.asarray((np.sqrt(variance(problem, centre, ids)) + radius * np.sqrt(growth)) ** 2)


def _growth(rows: NDArray[np.float64]) -> float:
    """Return lambda_max(mean of |a|^2 a a' - G^2)."""
    gram = rows.T @ rows / len(rows)
    spread = (rows * np.sum(rows**2, axis=1, keepdims=True)).T @ rows / len(rows) - gram @ gram
    return max(float(np.linalg.eigvalsh(spread)[-1]), 0.0)
