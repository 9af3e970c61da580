"""The best subset of some rows, by a search through all."""

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.calling import module, plain
from holdfast.typing import Distances


def least_diameter(distances: Distances, size: int) -> NDArray[np.int64]:
    """Return the `size` rows whose largest distance is least; of tied sets that with the least sum, then the first."""
    return _found("least_diameter", distances, size)


def least_eigenvalue(products: Distances, size: int) -> NDArray[np.int64]:
    """Return the `size` rows whose covariance has the least largest eigenvalue, from their inner products."""
    return _found("least_eigenvalue", products, size)


def _found(search: str, pairs: Distances, size: int) -> NDArray[np.int64]:
    pairs = plain(pairs)
    if pairs.shape != (len(pairs), len(pairs)) or not 1 <= size <= len(pairs):
        raise InvalidInput(f"a search needs n x n numbers and 1 to n of the rows; got {pairs.shape} and {size}")
    best = np.empty(size, np.int64)
    getattr(module("subsets"), search)(pairs, size, best)
    return best
