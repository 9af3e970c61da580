"""The constants of Assumptions 1 and 2: the least and the largest curvature of the losses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.problems import LinearProblem, solvable


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
