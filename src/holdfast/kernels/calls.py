"""Calls of compiled code: its module, arrays in the one layout that is compiled, and threads for large inputs.

`HOLDFAST_THREADS` or `set_threads` sets the number of threads.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Array, Rows, Vector


@cache
def module(name: str) -> Any:
    """Return a compiled module; numba is only imported when one is needed."""
    from holdfast.kernels.loading import kernels

    return kernels(name)


def matching(model: Vector, rows: Rows) -> Vector:
    """Return the model in that layout. Rows must have its length and type: compiled code does not check."""
    if rows.shape[1:] != model.shape or rows.dtype != model.dtype:
        raise InvalidInput(
            f"rows must be like the model, {model.shape} of {model.dtype}; got {rows.shape[1:]} of {rows.dtype}"
        )
    return plain(model)


def nonzero_weights(n: int, weights: Vector | None) -> tuple[Vector, NDArray[np.int64]]:
    """Return the weights of n rows that are not 0, and the numbers of these rows; if not given, each weight is 1."""
    if weights is None:
        return _all_alike(n)
    if weights.shape != (n,):
        raise InvalidInput(f"weights must be one per row, {(n,)}; got {weights.shape}")
    (chosen,) = weights.nonzero()
    return weights[chosen], chosen


@lru_cache
def _all_alike(n: int) -> tuple[Vector, NDArray[np.int64]]:
    return np.ones(n), np.arange(n)


def plain(array: Array) -> Array:
    """Return the array, or a copy, in the one layout that is compiled: contiguous and writeable, and not empty.

    Compiled code reads the first row and the first column without checking that they exist.
    """
    if not array.size:
        raise InvalidInput(f"a kernel needs at least one row and one column; got an array of shape {array.shape}")
    contiguous = np.ascontiguousarray(array)
    return contiguous if contiguous.flags.writeable else contiguous.copy()


LARGE = 1 << 22
"""Numbers to go through below which one thread is faster than sharing."""

_chosen: int | None = None


def threads() -> int:
    """Return how many threads a large input may use: what was set, else one per core."""
    if _chosen is not None:
        return _chosen
    given = os.environ.get("HOLDFAST_THREADS", "")
    if given and not (given.isdecimal() and int(given) >= 1):
        raise InvalidInput(f"HOLDFAST_THREADS must be a whole number of at least 1; got {given!r}")
    return int(given) if given else os.cpu_count() or 1


def set_threads(number: int) -> None:
    """Let large inputs use this many threads; 1 where processes already fill the cores."""
    global _chosen  # noqa: PLW0603
    if number < 1:
        raise InvalidInput(f"threads must be at least 1; got {number}")
    _chosen = number


def share(work: Callable[[int, int], None], items: int, numbers: int, grain: int = 64) -> None:
    """Call `work(first, last)` on spans that cover all items, cut at multiples of `grain`.

    Large inputs are shared among threads; the work must release the interpreter's lock.
    """
    workers = threads() if numbers >= LARGE else 1
    if workers == 1:
        work(0, items)
        return
    cuts = [items * k // workers // grain * grain for k in range(workers)] + [items]
    list(_pool(workers).map(work, cuts[:-1], cuts[1:]))


def fill(kernel: Callable[..., None], given: tuple[Any, ...], out: Array, numbers: int, by_rows: bool = False) -> Array:
    """Return `out`, of which `kernel(*given, first, last, out)` fills a span: columns `first` to `last`, or rows."""
    items, grain = (len(out), 1) if by_rows else (out.shape[-1], 64)
    share(lambda first, last: kernel(*given, first, last, out), items, numbers, grain)
    return out


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="holdfast")


if hasattr(os, "register_at_fork"):  # Windows does not fork; elsewhere the pool would wait for threads left behind
    os.register_at_fork(after_in_child=_pool.cache_clear)
