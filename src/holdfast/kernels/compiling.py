"""How our code is compiled: one decorator for all kernels."""

from collections.abc import Callable
from typing import Any

from numba import njit

from holdfast.kernels.checked import CheckedCache


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function when it is first called, or load what an earlier process compiled.

    It lets go of the interpreter's lock, divides as NumPy does, and rounds as it is written: without options
    nothing is fused and no sum is reordered.
    """
    if function is None:
        return lambda function: compiled(function, **options)
    dispatcher = njit(nogil=True, error_model="numpy", **options)(function)
    if hasattr(dispatcher, "_cache"):  # not where numba is switched off
        dispatcher._cache = CheckedCache(function)
    return dispatcher
