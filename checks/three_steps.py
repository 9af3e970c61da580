"""ByzFL's geometric median as a rule of one's own, to play its heat map with: three smoothed steps from 0.

python checks/heat_map.py three-steps upward 0 0.33
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ThreeSteps:
    """The rows weighted by 1 / max(nu, |x_i - z|), three times over, with z = 0 at first: ByzFL 0.0.11 (nu=0.1, T=3).

    z is a sum of rows, z = sum_i w_i x_i, so that the distances come from the rows' inner products G:
    |x_i - z|^2 = G_ii - 2 (Gw)_i + w'Gw.
    """

    rotation_equivariant: ClassVar[bool] = True
    nu: float = 0.1
    steps: int = 3

    def __call__(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        wide = rows.astype(np.float64)
        products = wide @ wide.T
        weights = np.zeros(len(rows))
        for _ in range(self.steps):
            squares = products.diagonal() - 2 * products @ weights + weights @ products @ weights
            inverse = 1 / np.sqrt(squares.clip(min=self.nu**2))
            weights = inverse / inverse.sum()
        return (weights @ wide).astype(rows.dtype)
