"""What the families of rules share. A family is a law, and the law is tested over every member."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from holdfast.aggregators.distances import squared_distances
from holdfast.errors import InvalidInput
from holdfast.typing import Distances, Rows, Vector


def checked(rule: object, rows: Any) -> Rows:
    """Return `rows` as an `(n, d)` floating-point array, or say what is wrong with them."""
    array = np.asarray(rows)
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(f"{rule} needs rows of shape (n, d), n and d at least 1; got shape {array.shape}")
    if array.dtype not in (np.float32, np.float64):
        if not np.can_cast(array.dtype, np.float64):
            raise InvalidInput(f"{rule} needs float32 or float64 rows; got {array.dtype}")
        array = array.astype(np.float64)
    return array


class CoordinateWise(ABC):
    """A rule that looks at one coordinate at a time: `A(V[:, J]) == A(V)[J]`."""

    def __call__(self, rows: Rows) -> Vector:
        return self.columns(checked(self, rows))

    @abstractmethod
    def columns(self, rows: Rows) -> Vector:
        """Aggregate every column of checked `(n, d)` rows."""


class Weighted(ABC):
    """A rule that mixes the rows by weights found from their distances alone.

    Hence `A(V Q + c) == A(V) Q + c` for orthogonal Q. However long the weights take to find, the
    d-dimensional data are touched twice: for the distances and for the mixture.
    """

    def __call__(self, rows: Rows) -> Vector:
        rows = checked(self, rows)
        weights = self.weights(squared_distances(rows))
        used = weights > 0  # a row without weight may hold anything, and 0 * inf is not 0
        return weights[used].astype(rows.dtype) @ rows[used]

    @abstractmethod
    def weights(self, distances: Distances) -> Vector:
        """Return weights that sum to 1, given the squared distances between the rows."""
