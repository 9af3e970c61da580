"""Arrays as nodes send them, in NumPy's file format, read as views of the bytes that came.

Nothing is executed, and no size that a node declares asks for memory.
"""

import struct
import warnings
from functools import lru_cache
from io import BytesIO
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

HEAD = 4096
"""Bytes within which the header of an array must end; NumPy's own take 128 or little more."""


class Unfit(Exception):
    """A reply that cannot be used. The message is the reason."""


class Stored(Protocol):
    """One array of a reply: its bytes and what the node says of them, which is not trusted."""

    @property
    def stype(self) -> str:
        """How the bytes were made; `numpy.ndarray` is NumPy's file format."""

    @property
    def data(self) -> bytes: ...


def opened(name: str, stored: Stored, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a read-only view of a stored array, if it has this type and this shape; else say why not."""
    if stored.stype != "numpy.ndarray":
        raise Unfit(f"array {name!r} must be stored as numpy.ndarray; got {stored.stype[:40]!r}")
    found_shape, fortran, found_dtype, start = _header(name, stored.data)
    if found_dtype != dtype:
        raise Unfit(f"array {name!r} must have type {dtype}; got {str(found_dtype)[:40]}")
    if found_shape != shape:
        raise Unfit(f"array {name!r} must have shape {shape}; got {str(found_shape)[:80]}")
    size, due = len(stored.data) - start, prod(shape) * dtype.itemsize
    if size != due:
        raise Unfit(f"array {name!r} must have {due} bytes; got {size}")
    flat = np.frombuffer(stored.data, dtype, offset=start)
    return flat.reshape(shape, order="F" if fortran else "C")


def _header(name: str, data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return shape, Fortran order and type that the bytes declare, and where the numbers begin."""
    try:
        start, form = {1: (10, "<H"), 2: (12, "<I")}[data[6]]
        end = start + struct.unpack_from(form, data, 8)[0]
        return *_parsed(data[: min(end, HEAD)]), end
    except Exception:  # a reply may hold anything, and so may whatever reads it raise
        raise Unfit(f"array {name!r} must be in NumPy's format; got {len(data)} bytes that are not") from None


@lru_cache(maxsize=64)  # all replies to one model have the same headers
def _parsed(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    file = BytesIO(head)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what only Python 2 would have written is not repaired
        parsed: tuple[tuple[int, ...], bool, np.dtype[Any]] = read(file, max_header_size=HEAD)
        return parsed
