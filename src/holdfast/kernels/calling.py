"""What every call of compiled code needs: the module, and arrays in the one layout that it is compiled for."""

from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@cache
def module(name: str) -> Any:
    """Return a compiled module; numba is only imported when one is needed."""
    from holdfast.kernels.loading import kernels

    return kernels(name)


def matching(model: Vector, rows: Rows) -> Vector:
    """Return the model in that layout, if the rows have its length and its type: compiled code does not ask again."""
    if rows.shape[1:] != model.shape or rows.dtype != model.dtype:
        raise InvalidInput(
            f"rows must be like the model, {model.shape} of {model.dtype}; got {rows.shape[1:]} of {rows.dtype}"
        )
    return plain(model)


def heard(n: int, weights: Vector | None) -> tuple[Vector, NDArray[np.int64]]:
    """Return those of the weights of n rows that are not 0, and whose they are: 1 for each row, if none are given."""
    if weights is None:
        return _all_alike(n)
    if weights.shape != (n,):
        raise InvalidInput(f"weights must be one a row, {(n,)}; got {weights.shape}")
    (chosen,) = weights.nonzero()
    return weights[chosen], chosen


@lru_cache
def _all_alike(n: int) -> tuple[Vector, NDArray[np.int64]]:
    return np.ones(n), np.arange(n)


def plain(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy, in the one layout that is compiled: contiguous and writeable, and not empty.

    Compiled code reads the first row and the first column before it asks whether there are any.
    """
    if not array.size:
        raise InvalidInput(f"a kernel needs at least one row and one column; got an array of shape {array.shape}")
    contiguous = np.ascontiguousarray(array)
    return contiguous if contiguous.flags.writeable else contiguous.copy()
