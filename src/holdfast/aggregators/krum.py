from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.families import Weighted
from holdfast.aggregators.options import declared, require_whole
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Krum(Weighted):
    """The row whose n - byzantine - 2 nearest neighbours are nearest to it (eq. krum).

    Blanchard et al. (2017): with N_i these neighbours of row i, itself not counted,

        argmin_i sum_{j in N_i} |v_i - v_j|^2,

    of tied rows the first. A row with NaN or an infinity is infinitely far away, so it is neither chosen
    nor counted on while at most `byzantine` rows hold any. While at most `byzantine` of
    n >= 2 byzantine + 3 rows lie, the result is within sqrt(n - byzantine - 2) honest diameters of an
    honest row. `byzantine=None`: the run tells.

    >>> Krum(byzantine=1)(np.array([[0.0], [1.0], [3.0], [99.0]]))
    array([0.])
    """

    cites: ClassVar[tuple[str, ...]] = ("blanchard2017machine",)
    needs: ClassVar[tuple[int, int]] = (2, 3)
    byzantine: int | None = None

    def __post_init__(self) -> None:
        require_whole(self, "byzantine", optional=True)

    def weights(self, rows: Rows) -> Vector:
        weights = np.zeros(len(rows))
        weights[krum_scores(self, rows).argmin()] = 1.0
        return weights


def krum_scores(rule: Weighted, rows: Rows) -> Vector:
    """Return for each row the sum of the squared distances to its n - byzantine - 2 nearest others."""
    n, byzantine = len(rows), declared(rule)
    neighbours = n - byzantine - 2
    if neighbours < 1:
        raise InvalidInput(f"{type(rule).__name__} needs n >= byzantine + 3; got n={n}, byzantine={byzantine}")
    nearest = np.sort(squared_distances(rows), axis=1)[:, 1 : 1 + neighbours]  # the first is the row itself
    with np.errstate(over="ignore"):
        scores: Vector = nearest.sum(axis=1)
    return scores
