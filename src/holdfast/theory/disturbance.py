"""What keeps RSA from its optimum: samples that vary, a penalty that is not smooth, and Byzantine workers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Disturbance:
    """The constants Delta_0 and Delta_2 of eq. app-eq.const, for r honest and q Byzantine workers.

    >>> calm = Disturbance(variances=np.array([1.0, 2.0]), penalty=0.5, byzantine=3, dimension=10)
    >>> calm.Delta0, calm.Delta2(epsilon=0.1)
    (291.0, 225.0)
    """

    variances: NDArray[np.float64]
    """delta_i^2 of the r honest workers."""
    penalty: float
    """lambda."""
    byzantine: int
    """q, the actual number of Byzantine workers."""
    dimension: int
    """d. A subgradient's entries are at most 1, so the proofs bound its squared length by d: tight for l1 only. For
    p >= 2 the length is at most 1 and everything holds with 1 in place of d."""

    @property
    def Delta0(self) -> float:
        """16 lambda^2 r d + 16 lambda^2 r^2 d + 2 lambda^2 q^2 d + 2 sum_i delta_i^2."""
        r, q, each = len(self.variances), self.byzantine, self.penalty**2 * self.dimension
        return 16 * each * r + 16 * each * r**2 + 2 * each * q**2 + 2 * float(self.variances.sum())

    def Delta2(self, epsilon: float) -> float:
        """lambda^2 q^2 d / epsilon: what the Byzantine workers cost, quadratic in their number."""
        return self.penalty**2 * self.byzantine**2 * self.dimension / epsilon
