"""What every function does before it calls compiled code: bring arrays into one layout and find the module."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


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


def plain(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, or a copy, in the one layout that is compiled: contiguous and writeable."""
    plain = np.ascontiguousarray(array)
    return plain if plain.flags.writeable else plain.copy()
