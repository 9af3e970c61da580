"""How much honest workers differ: by how much their gradients disagree at the optimum of their common loss."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.typing import Rows

Column = NDArray[np.float64]
"""One number per worker."""


@dataclass(frozen=True, eq=False)
class Heterogeneity:
    """The dissimilarity of workers, in the units of a worker's own mean loss f_i (the run's weight taken out).

        zeta^2   = mean over i of |grad f_i(x*) - grad f(x*)|^2,   f = mean of f_i, x* the optimum of eq. correct
        relative = zeta^2 / |grad f(x_0)|^2,                       x_0 the start
        spread   = mean over i of |grad f_i(x_0) - grad f(x_0)|^2
        at_start = spread / (mean over i of |grad f_i(x_0)|^2)
        excess   = spread / (average spread of the same samples dealt at random)

    zeta^2 is what theorems are about. `relative` divides it by the squared gradient that learning starts with, which
    hardly depends on the partition, and so has no unit. Where one model suits everyone both are near 0,
    even if workers disagree on the way there; `at_start` says how much: 0 if all gradients are equal, 1 if they
    cancel. With few samples gradients differ by chance; `excess` is about 1 if chance explains it.
    """

    per_worker: Column
    """|grad f_i(x*) - grad f(x*)|^2 of each."""
    common: float
    """|grad f(x_0)|^2, of the common gradient at the start."""
    spread: float
    chance: float
    """The average spread of the same samples dealt at random."""

    @staticmethod
    def of(at_optimum: Rows, at_start: Rows, variances: Column, sizes: Column) -> "Heterogeneity":
        """Return it from the gradients of the honest workers, one row each.

        `variances` are those of a single sample's gradient at the start, `sizes` the workers' numbers of samples.

        >>> two = np.array([2.0, 2.0])
        >>> Heterogeneity.of(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 2.0]]), 0 * two, two)
        Heterogeneity(per_worker=array([1., 1.]), common=2.0, spread=2.0, chance=0.666...)
        """
        first, counts = np.asarray(at_start, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
        samples = counts.sum()
        pooled = counts @ first / samples
        # variance of one sample's gradient among all: within its worker, plus its worker's distance from all
        total = counts @ (variances + np.sum((first - pooled) ** 2, axis=1)) / max(samples - 1, 1)
        return Heterogeneity(
            per_worker=_squared_deviations(at_optimum),
            common=float(np.sum(first.mean(axis=0) ** 2)),
            spread=float(_squared_deviations(first).mean()),
            # no two parts share a sample: cov = total (diag(1 / n_i) - 1 / N); then the mean of the parts is taken out
            chance=float(total * np.mean(1 / counts) * (1 - 1 / len(counts))),
        )

    @property
    def zeta2(self) -> float:
        return float(self.per_worker.mean())

    @property
    def relative(self) -> float | None:
        """None if the common gradient at the start is 0."""
        return self.zeta2 / self.common if self.common > 0 else None

    @property
    def at_start(self) -> float:
        both = self.spread + self.common  # the mean square of the gradients
        return self.spread / both if both > 0 else 0.0

    @property
    def excess(self) -> float | None:
        """None if chance alone makes no difference."""
        return self.spread / self.chance if self.chance > 0 else None


def _squared_deviations(rows: Rows) -> Column:
    gradients = np.asarray(rows, dtype=np.float64)
    return np.asarray(np.sum((gradients - gradients.mean(axis=0)) ** 2, axis=1))
