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
from holdfast.typing import Vector

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


Arrays = list[NDArray[Any]]
"""One array per entry of a layout, in its order."""


BLOCK = 2**16
"""Numbers that are added at a time."""


@dataclass(frozen=True)
class Entry:
    """One array of a model. Numbers with a point have a place in the vector; counters and masks have none."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    place: slice | None


@dataclass(frozen=True, eq=False)
class Layout:
    """The names, types and shapes of a model's arrays, and its numbers with a point as one vector."""

    entries: tuple[Entry, ...]
    vector: Vector

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the layout of a model, or say what about it cannot be aggregated.

        >>> Layout.of({"w": np.ones((2, 1), np.float32), "steps": np.array(7)}).vector
        array([1., 1.], dtype=float32)
        """
        entries, first = [], 0
        for name, array in arrays.items():
            if array.dtype not in (np.float16, np.float32, np.float64) and array.dtype.kind not in "iub":
                raise InvalidInput(f"array {name!r} must hold floats, integers or booleans; got {array.dtype}")
            last = first + array.size
            pointed = array.dtype.kind == "f"
            entries.append(Entry(name, array.dtype, array.shape, slice(first, last) if pointed else None))
            first = last if pointed else first
        if not first:
            raise InvalidInput(f"a model must have at least one number with a point; got {len(entries)} other arrays")
        wide = any(entry.dtype == np.float64 for entry in entries)
        vector: Vector = np.empty(first, np.float64 if wide else np.float32)
        for entry, array in zip(entries, arrays.values(), strict=True):
            if entry.place is not None:
                vector[entry.place] = array.reshape(-1)
        if not np.isfinite(vector).all():
            raise InvalidInput("a model must be finite; got NaN or infinity")
        return cls(tuple(entries), vector)

    def read(self, reply: Mapping[str, Stored]) -> Arrays:
        """Return the arrays of a reply as views, if it is one to this layout and finite; else say why not."""
        if reply.keys() != {entry.name for entry in self.entries}:
            names = {entry.name for entry in self.entries}
            missing, more = sorted(names - reply.keys()), sorted(reply.keys() - names)
            said = f"without {missing[0]!r}" if missing else f"with {more[0][:40]!r}"
            raise Unfit(f"a reply must have the {len(names)} arrays that were sent; got {len(reply)}, {said}")
        arrays = [opened(entry.name, reply[entry.name], entry.dtype, entry.shape) for entry in self.entries]
        for entry, array in zip(self.entries, arrays, strict=True):
            if entry.place is not None and not np.isfinite(array).all():
                raise Unfit(f"array {entry.name!r} must be finite; got NaN or infinity")
        return arrays

    def difference(self, arrays: Arrays, out: Vector) -> None:
        """Write a reply minus what was sent; finite numbers so far apart that this is not are refused."""
        with np.errstate(over="ignore"):
            for place, array in zip(self._places, self._pointed(arrays), strict=True):
                np.subtract(array.reshape(-1), self.vector[place], out=out[place])
        if not np.isfinite(out).all():
            raise Unfit("an update must be finite; got an overflow")

    def total(self, replies: Sequence[Arrays], weights: Sequence[float]) -> Vector:
        """Return the sum of replies, each times its weight if there are any, block by block: the sum stays in cache."""
        total = np.zeros_like(self.vector)
        number = total.dtype.type
        for place, *same in zip(self._places, *map(self._pointed, replies), strict=True):
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
        for place, array in zip(self._places, self._pointed(arrays), strict=True):
            first, last = np.searchsorted(coordinates, (place.start, place.stop))
            out[first:last] = array.reshape(-1)[coordinates[first:last] - place.start]
        with np.errstate(over="ignore"):
            return out - self.vector[coordinates]

    def without_place(self, arrays: Arrays) -> Arrays:
        """Return those arrays of a reply that have no place in the vector."""
        return [array for entry, array in zip(self.entries, arrays, strict=True) if entry.place is None]

    def model(self, vector: Vector, others: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model under their names; numbers become what they were when they were sent."""
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

    def _pointed(self, arrays: Arrays) -> Arrays:
        """Return those arrays of a reply that have a place in the vector."""
        return [array for entry, array in zip(self.entries, arrays, strict=True) if entry.place is not None]
