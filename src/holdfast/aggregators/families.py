"""What the families of rules share. A family is a law, and the law is tested over every member."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


def checked(rule: object, rows: Any) -> Rows:
    """Return `rows` as an `(n, d)` floating-point array, or say what is wrong with them."""
    try:
        array = np.asarray(rows.detach().cpu() if _is_tensor(rows) else rows)
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{rule} needs rows of shape (n, d); got no array: {error}") from None
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInput(f"{rule} needs rows of shape (n, d), n and d at least 1; got shape {array.shape}")
    if array.dtype not in (np.float32, np.float64):
        if not np.can_cast(array.dtype, np.float64):
            raise InvalidInput(f"{rule} needs float32 or float64 rows; got {array.dtype}")
        array = array.astype(np.float64)
    return array


def like(rows: Any, vector: Vector) -> Any:
    """Return the vector as what the rows were: a tensor where they were one."""
    if not _is_tensor(rows):
        return vector
    import torch

    return torch.from_numpy(vector).to(rows.device)


def _is_tensor(rows: Any) -> bool:
    return type(rows).__module__.partition(".")[0] == "torch"


class CoordinateWise(ABC):
    """A rule that looks at one coordinate at a time: `A(V[:, J]) == A(V)[J]`."""

    def __call__(self, rows: Rows) -> Vector:
        vector: Vector = like(rows, self.columns(checked(self, rows)))
        return vector

    @abstractmethod
    def columns(self, rows: Rows) -> Vector:
        """Aggregate every column of checked `(n, d)` rows."""


class Weighted(ABC):
    """A rule that mixes the rows by weights found from their mutual distances alone.

    Hence `A(V Q + c) == A(V) Q + c` for orthogonal Q. However long the weights take to find, the
    d-dimensional data are touched twice: for an n x n matrix and for the mixture.
    """

    def __call__(self, rows: Rows) -> Vector:
        checked_rows = checked(self, rows)
        vector: Vector = like(rows, kernels.combination(self.weights(checked_rows), checked_rows))
        return vector

    @abstractmethod
    def weights(self, rows: Rows) -> Vector:
        """Return weights that sum to 1; they must depend on the rows' mutual distances only."""
