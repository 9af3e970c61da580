"""The best subset of some rows, by a search through all."""

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels.calling import module, plain
from holdfast.typing import Distances


def least_diameter(distances: Distances, size: int) -> NDArray[np.int64]:
    """Return the `size` rows whose largest distance is least; of tied sets that with the least sum, then the first."""
    best = np.empty(size, np.int64)
    module("subsets").least_diameter(plain(distances), size, best)
    return best


def least_eigenvalue(products: Distances, size: int) -> NDArray[np.int64]:
    """Return the `size` rows whose covariance has the least largest eigenvalue, from their inner products."""
    best = np.empty(size, np.int64)
    module("subsets").least_eigenvalue(plain(products), size, best)
    return best
