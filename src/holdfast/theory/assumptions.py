"""The constants of the paper's assumptions: curvature of the losses (1 and 2), variance of minibatch gradients (3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.problems import LinearProblem, solvable
from holdfast.typing import Vector


@dataclass(frozen=True, eq=False)
class Curvature:
    """mu_i and L_i of the workers' losses as they are trained (weight and scale included), mu_0 and L_0 of f0.

    The Hessian of F_i is weight times the mean over its samples a of (loss'' by the scores) x a a'. With loss''
    between `curvature_bounds` of the problem everywhere and G_i the mean of a a',

        mu_i = weight * curvature_bounds[0] * lambda_min(G_i),    L_i = weight * curvature_bounds[1] * lambda_max(G_i).

    Least squares (bounds 1 and 1): both exact. Logistic (0 and 1/4): both exact, since the curvature is largest at
    x = 0 and vanishes far out. Softmax (0 and 1/2): mu_i = 0 exact, L_i a bound that two classes attain. An
    eigenvalue that rounding cannot tell from 0 counts as 0. f0 = c/2 |x|^2 has mu_0 = L_0 = c.
    """

    mu: NDArray[np.float64]
    L: NDArray[np.float64]
    mu0: float
    L0: float
    workers: Sequence[int] = ()
    """The workers' numbers; from 1 on unless given."""

    @staticmethod
    def of(problem: LinearProblem, prior: Ridge, workers: Iterable[int]) -> "Curvature":
        """Return the constants of these (the honest) workers, in their order."""
        problem = solvable(problem, "curvature")
        ids = [int(worker) for worker in workers]
        spectra = np.array([_extremes(problem.shards.gram(worker)) for worker in ids])
        if not ids:
            raise InvalidInput("curvature needs at least one worker; got none")
        mu, L = (problem.weight * np.array(problem.curvature_bounds) * spectra).T
        return Curvature(mu, L, prior.weight, prior.weight, ids)

    @property
    def least(self) -> float:
        """The least of all mu_i and mu_0: 0 if some loss is flat somewhere, and then no rate is guaranteed."""
        return float(min(self.mu.min(), self.mu0))

    @property
    def flat(self) -> str:
        """In words, which losses are not strongly convex; nothing if all are."""
        workers = self.workers or range(1, len(self.mu) + 1)
        named = [f"mu_{worker} = 0" for worker, mu in zip(workers, self.mu, strict=True) if mu == 0]
        if self.mu0 == 0:
            named.insert(0, "mu_0 = 0")
        return ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")


def _extremes(gram: NDArray[np.float64]) -> tuple[float, float]:
    values = np.linalg.eigvalsh(gram)
    noise = values[-1] * len(values) * np.finfo(np.float64).eps
    return (float(values[0]) if values[0] > noise else 0.0), float(values[-1])


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
