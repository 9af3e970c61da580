"""Squared distances between messages, exact enough to be trusted."""

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels import squared_distances
from holdfast.typing import Distances, Rows

FARTHEST = 1e300
"""Squared distances from which on rows count as infinitely far where sums of such squares are needed."""


def most_central(distances: Distances) -> int:
    """Return the row to which just more than half of the rows, itself included, are nearest."""
    return int(np.sort(distances, axis=1)[:, len(distances) // 2].argmin())


def centred_products(rows: Rows) -> tuple[Distances, NDArray[np.int64]]:
    """Return the inner products about a central row of those rows that are not infinitely far, and which these are.

    The nearest to the central row come first. From distances, <x - c, y - c> = (|x - c|^2 + |y - c|^2 - |x - y|^2) / 2,
    so that rows far away cost the others no digits.
    """
    distances = squared_distances(rows)
    away = distances[most_central(distances)]
    near = np.argsort(away, kind="stable")[: int((away < FARTHEST).sum())]
    products = (away[near, np.newaxis] + away[near] - distances[np.ix_(near, near)]) / 2
    return products, near
