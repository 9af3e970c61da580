"""Losses and curvatures of a problem that is not linear, through what every problem offers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.problems import Problem
from holdfast.typing import Oracle, Rows, Vector, Workers

EVERY = 8
"""Losses are measured after every so many steps: one costs a worker a pass through its samples."""
TURNS = 10
"""Gradients that the largest eigenvalue is estimated from."""
CHANGE = 0.1
"""How much of a gradient a probing step shall change: much more than rounding, but so little that the Hessian stays."""


@dataclass(frozen=True)
class Probed:
    """A problem of which only gradients and objective are known."""

    problem: Problem

    def losses(self, models: Rows, workers: Workers) -> NDArray[np.float64]:
        """Return the full local losses F_i(x_i) of these workers, each at the model in its own row."""
        pairs = zip(models, workers.tolist(), strict=True)
        return np.array([self.problem.objective(model, [worker]) for model, worker in pairs])

    def curvatures(self, start: Vector, oracle: Oracle, workers: Workers) -> NDArray[np.float64]:
        """Return the largest eigenvalues, by size, of the minibatches' Hessians at the start: power iteration.

        H v is (g(x + h v) - g(x)) / h with the same minibatch twice, since randomness is addressed by the round.
        """
        models = np.tile(start, (len(workers), 1))
        gradients = np.asarray(oracle(models, 0), np.float64)
        found, lengths = np.zeros(len(workers)), _lengths(gradients)
        ways = gradients / np.where(lengths > 0, lengths, 1)[:, np.newaxis]
        steps = np.full(len(workers), 1e-3 * max(float(np.linalg.norm(start)), 1.0))
        for _ in range(TURNS):
            ahead = (models + steps[:, np.newaxis] * ways).astype(start.dtype)
            change = np.asarray(oracle(ahead, 0), np.float64) - gradients
            sizes = _lengths(change)
            changed = np.isfinite(sizes) & (sizes > 0)
            found[changed] = sizes[changed] / steps[changed]
            ways[changed] = change[changed] / sizes[changed, np.newaxis]
            steps[changed] = CHANGE * lengths[changed] / found[changed]
        return found.clip(min=np.finfo(start.dtype).tiny)


def _lengths(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(rows, axis=1))
