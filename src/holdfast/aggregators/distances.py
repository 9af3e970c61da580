"""Squared distances between messages, exact enough to be trusted."""

from holdfast import kernels
from holdfast.typing import Distances, Rows


def squared_distances(rows: Rows) -> Distances:
    """Return |v_i - v_j|^2 for all pairs of `(n, d)` rows, in float64.

    From differences, not from a Gramian: with one row of size 1e4 a float32 Gramian has lost the
    distances between all others. Differences and squares have the rows' own precision, their sum is
    float64. A row that holds NaN or an infinity, or is so far that its square
    overflows, is infinitely far from every other.

    >>> import numpy as np
    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0], [np.nan, 0.0]]))
    array([[ 0., 25., inf],
           [25.,  0., inf],
           [inf, inf,  0.]])
    """
    return kernels.squared_distances(rows)
