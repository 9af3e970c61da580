from dataclasses import dataclass

import numpy as np

from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import Weighted
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Krum(Weighted):
    """The row whose n - byzantine - 2 nearest neighbours are nearest to it (eq. krum).

    Blanchard et al. (2017). Squared distances, the row itself not counted among its neighbours; of tied
    rows the first. A row with NaN or an infinity is infinitely far away, so it is neither chosen nor
    counted on while at most `byzantine` rows hold any.

    >>> Krum(byzantine=1)(np.array([[0.0], [1.0], [3.0], [99.0]]))
    array([0.])
    """

    byzantine: int

    def __post_init__(self) -> None:
        if self.byzantine < 0:
            raise InvalidInput(f"Krum needs byzantine >= 0; got byzantine={self.byzantine}")

    def weights(self, rows: Rows) -> Vector:
        n = len(rows)
        neighbours = n - self.byzantine - 2
        if neighbours < 1:
            raise InvalidInput(f"Krum needs n >= byzantine + 3; got n={n}, byzantine={self.byzantine}")
        nearest = np.sort(squared_distances(rows), axis=1)[:, 1 : 1 + neighbours]  # the first is the row itself
        with np.errstate(over="ignore"):
            scores = nearest.sum(axis=1)
        weights = np.zeros(n)
        weights[scores.argmin()] = 1.0
        return weights
