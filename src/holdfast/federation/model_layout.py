"""The arrays of a model: as sent to nodes, and as nodes send them back.

Replies are in NumPy's file format and are read as views of their bytes. Nothing is executed, and no size that a node
declares asks for memory.
"""

import struct
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from math import prod
from typing import Any, Protocol, Self

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.typing import Array, Vector

Arrays = list[Array]
"""One array per entry of a layout, in its order."""
Model = dict[str, Array]
"""The arrays of a model under their names."""
HEAD = 4096
"""Bytes within which the header of an array must end; NumPy's own take 128 or little more."""
BLOCK = 2**16
"""Numbers that are added at a time."""


class Unfit(Exception):
    """A reply that cannot be used. The message is the reason."""


class StoredArray(Protocol):
    """One array of a reply: its bytes and their format as the node declares it, which is not trusted."""

    @property
    def stype(self) -> str:
        """The format of the bytes; `numpy.ndarray` is NumPy's file format."""

    @property
    def data(self) -> bytes: ...


@dataclass(frozen=True)
class Entry:
    """One array of a model. Floats have a place in the vector; counters and masks have none."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    place: slice | None


@dataclass(frozen=True, eq=False)
class Layout:
    """The names, types and shapes of a model's arrays, and its floats as one vector."""

    entries: tuple[Entry, ...]
    vector: Vector

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Self:
        """Return the layout of a model; InvalidInput if the model cannot be aggregated.

        >>> Layout.of({"w": np.ones((2, 1), np.float32), "steps": np.array(7)}).vector
        array([1., 1.], dtype=float32)
        """
        entries, first = [], 0
        for name, array in arrays.items():
            if array.dtype not in (np.float16, np.float32, np.float64) and array.dtype.kind not in "iub":
                raise InvalidInput(f"array {name!r} must hold floats, integers or booleans; got {array.dtype}")
            last = first + (array.size if array.dtype.kind == "f" else 0)
            place = slice(first, last) if array.dtype.kind == "f" else None
            entries.append(Entry(name, array.dtype, array.shape, place))
            first = last
        if not first:
            raise InvalidInput(f"a model must have at least one float; got {len(entries)} other arrays")
        wide = any(entry.dtype == np.float64 for entry in entries)
        vector: Vector = np.empty(first, np.float64 if wide else np.float32)
        for entry, array in zip(entries, arrays.values(), strict=True):
            if entry.place is not None:
                vector[entry.place] = array.reshape(-1)
        if not np.isfinite(vector).all():
            raise InvalidInput("a model must be finite; got NaN or infinity")
        return cls(tuple(entries), vector)

    def read(self, reply: Mapping[str, StoredArray]) -> Arrays:
        """Return the arrays of a reply as views; Unfit if the reply does not match this layout or is not finite."""
        names = {entry.name for entry in self.entries}
        if reply.keys() != names:
            missing, more = sorted(names - reply.keys()), sorted(reply.keys() - names)
            which = f"without {missing[0]!r}" if missing else f"with {more[0][:40]!r}"
            raise Unfit(f"a reply must have the {len(names)} arrays that were sent; got {len(reply)}, {which}")
        arrays = [view_array(entry.name, reply[entry.name], entry.dtype, entry.shape) for entry in self.entries]
        for entry, array in zip(self.entries, arrays, strict=True):
            if entry.place is not None and not np.isfinite(array).all():
                raise Unfit(f"array {entry.name!r} must be finite; got NaN or infinity")
        return arrays

    def difference(self, arrays: Arrays, out: Vector) -> None:
        """Write a reply minus the model that was sent into `out`; Unfit if the difference overflows."""
        with np.errstate(over="ignore"):
            for place, array in zip(self._places, self._floats(arrays), strict=True):
                np.subtract(array.reshape(-1), self.vector[place], out=out[place])
        if not np.isfinite(out).all():
            raise Unfit("an update must be finite; got an overflow")

    def total(self, replies: Sequence[Arrays], weights: Sequence[float]) -> Vector:
        """Return the sum of replies, each times its weight if there are weights. Blocks keep the sum in cache."""
        total = np.zeros_like(self.vector)
        number = total.dtype.type
        for place, *same in zip(self._places, *map(self._floats, replies), strict=True):
            rows = [array.reshape(-1) for array in same]
            for first in range(0, place.stop - place.start, BLOCK):
                out, block = total[place][first : first + BLOCK], slice(first, first + BLOCK)
                with np.errstate(over="ignore"):
                    for at, row in enumerate(rows):
                        out += number(weights[at]) * row[block] if weights else row[block]
        return total

    def sample(self, arrays: Arrays, coordinates: NDArray[np.int64]) -> Vector:
        """Return the update of a reply on some coordinates, which are in order."""
        out = np.empty(len(coordinates), self.vector.dtype)
        for place, array in zip(self._places, self._floats(arrays), strict=True):
            first, last = np.searchsorted(coordinates, (place.start, place.stop))
            out[first:last] = array.reshape(-1)[coordinates[first:last] - place.start]
        with np.errstate(over="ignore"):
            return out - self.vector[coordinates]

    def others(self, arrays: Arrays) -> Arrays:
        """Return the arrays of a reply that are no floats."""
        return [array for entry, array in zip(self.entries, arrays, strict=True) if entry.place is None]

    def model(self, vector: Vector, others: Sequence[Array]) -> Model:
        """Return a model of this layout; floats get the types that were sent."""
        rest = iter(others)
        with np.errstate(over="ignore"):
            return {
                entry.name: next(rest)
                if entry.place is None
                else vector[entry.place].reshape(entry.shape).astype(entry.dtype, copy=False)
                for entry in self.entries
            }

    @cached_property
    def _places(self) -> list[slice]:
        return [entry.place for entry in self.entries if entry.place is not None]

    def _floats(self, arrays: Arrays) -> Arrays:
        """Return the arrays of a reply that have a place in the vector."""
        return [array for entry, array in zip(self.entries, arrays, strict=True) if entry.place is not None]


def view_array(name: str, stored: StoredArray, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """Return a read-only view of a stored array; Unfit if its type or shape is another."""
    if stored.stype != "numpy.ndarray":
        raise Unfit(f"array {name!r} must be stored as numpy.ndarray; got {stored.stype[:40]!r}")
    declared_shape, fortran, declared_dtype, start = _read_header(name, stored.data)
    if declared_dtype != dtype:
        raise Unfit(f"array {name!r} must have type {dtype}; got {str(declared_dtype)[:40]}")
    if declared_shape != shape:
        raise Unfit(f"array {name!r} must have shape {shape}; got {str(declared_shape)[:80]}")
    size, due = len(stored.data) - start, prod(shape) * dtype.itemsize
    if size != due:
        raise Unfit(f"array {name!r} must have {due} bytes; got {size}")
    flat = np.frombuffer(stored.data, dtype, offset=start)
    return flat.reshape(shape, order="F" if fortran else "C")


def _read_header(name: str, data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return shape, Fortran order and type that the bytes declare, and where the numbers begin."""
    try:
        start, form = {1: (10, "<H"), 2: (12, "<I")}[data[6]]
        end = start + struct.unpack_from(form, data, 8)[0]
        return *_parse_header(data[: min(end, HEAD)]), end
    except Exception:  # a reply may hold anything, so any error may come
        raise Unfit(f"array {name!r} must be in NumPy's format; got {len(data)} bytes that are not") from None


@lru_cache(maxsize=64)  # all replies to one model have the same headers
def _parse_header(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    file = BytesIO(head)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # headers of Python 2 are not repaired
        return read(file, max_header_size=HEAD)
