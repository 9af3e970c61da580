from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.distances import squared_distances
from holdfast.aggregators.requirements import Declared, require_majority
from holdfast.stages.stage import Stage
from holdfast.typing import Messages


@dataclass(frozen=True)
class NearestNeighbourMixing(Declared, Stage):
    """Each row becomes the mean of its n - byzantine nearest rows, itself included.

    Allouah et al. (2023), "Fixing by mixing": with N_i the nearest rows of row i,

        y_i = 1 / (n - byzantine) sum_{j in N_i} x_j,

    of equally near rows those of the workers with the smallest numbers. A row with NaN or an infinity, or so
    far that its square overflows, is infinitely far from every other; a row with fewer than n - byzantine rows
    at a finite distance stays as it is. While `byzantine` rows lie, every honest row ends within
    2 byzantine / (n - byzantine) honest diameters of the honest mean: of its neighbours, at most `byzantine`
    lie, and none of them is farther than an honest row that it displaced. `byzantine=None`: the run tells.

    >>> NearestNeighbourMixing(byzantine=1)(np.array([[0.0], [1.0], [4.0], [np.inf]]))[:, 0].round(3)
    array([1.667, 1.667, 1.667,   inf])
    """

    cites: ClassVar[tuple[str, ...]] = ("allouah2023fixing",)
    rotation_equivariant: ClassVar[bool] = True

    def change(self, messages: Messages) -> Messages:
        rows = messages.numbers
        n, byzantine = len(rows), require_majority(self, len(rows))
        distances, by_number = squared_distances(rows), np.argsort(messages.workers, kind="stable")
        order = by_number[np.argsort(distances[:, by_number], axis=1, kind="stable")]
        nearest = order[:, : n - byzantine]
        mixed = np.isfinite(np.take_along_axis(distances, nearest[:, -1:], axis=1)[:, 0])
        weights = np.zeros((n, n))
        np.put_along_axis(weights, nearest, 1 / (n - byzantine), axis=1)
        weights[~mixed] = np.eye(n)[~mixed]
        return messages._replace(rows=kernels.mixtures(weights, rows))
