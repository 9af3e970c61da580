"""A frame: a header that says everything about the payload, and the payload.

Nothing in a frame is executed or trusted. Reading checks every field before its use, so arbitrary bytes end in
`WireError`. The payload is a view of the bytes that came, so no declared size asks for memory.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast
from zlib import crc32

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.kernels import bit_width
from holdfast.typing import Bits

MAGIC = b"HFST"
VERSION = 1
MAX_DIMENSION = 1 << 32
MAX_COUNT = 1 << 32
Data = bytes | memoryview | Bits
"""Bytes from elsewhere."""
NUMBERS: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 2: np.dtype("<f8")}
"""Types of numbers by their code in a header; bits have code 0."""

_HEADER = struct.Struct("<4sBBBxQQQQI")
_CHECKSUM = struct.Struct("<I")
HEADER_BYTES = _HEADER.size


class WireError(InvalidInput):
    """Bytes that are no frame, or not the expected frame."""


class Kind(IntEnum):
    """What a frame carries."""

    MODEL = 1
    """Models as numbers: the master's x0, or messages of RSA."""
    GRADIENT = 2
    """Gradients as numbers."""
    SIDES = 3
    """One bit per worker and coordinate: is x0 > x_i? (l1-RSA)"""
    TALLY = 4
    """The count of ones per coordinate, in as many bits as the number of voters has."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Messages of `count` workers, or a tally of `count` voters, on `dimension` coordinates."""

    kind: Kind
    code: int
    """The type of the numbers in `NUMBERS`, or 0 for bits."""
    round: int
    dimension: int
    count: int
    payload: Bits

    @property
    def length(self) -> int:
        """Bytes that the payload must have."""
        if self.kind is Kind.TALLY:
            return self.count.bit_length() * bit_width(self.dimension)
        if self.kind is Kind.SIDES:
            return self.count * bit_width(self.dimension)
        return self.count * self.dimension * NUMBERS[self.code].itemsize


def view_bytes(data: Data) -> memoryview:
    """Return a view of the bytes."""
    return memoryview(cast(Any, data))  # an array is a buffer, too, which its type does not say


def encode(frame: Frame) -> bytes:
    """Return the frame as bytes."""
    _check(frame)
    about = (frame.kind, frame.code, frame.round, frame.dimension, frame.count, frame.length)
    head = _HEADER.pack(MAGIC, VERSION, *about, 0)[: -_CHECKSUM.size]
    payload = np.ascontiguousarray(frame.payload).reshape(-1).view(np.uint8)
    return b"".join([head, _CHECKSUM.pack(crc32(payload.data, crc32(head))), payload.data])


def decode(data: Data, dimension: int | None = None) -> Frame:
    """Return the frame in these bytes; WireError if they are none, or one of another `dimension`."""
    whole = view_bytes(data)
    if len(whole) < HEADER_BYTES:
        raise WireError(f"a frame must have at least {HEADER_BYTES} bytes; got {len(whole)}")
    magic, version, kind, code, round, declared, count, length, checksum = _HEADER.unpack_from(whole)
    if magic != MAGIC:
        raise WireError(f"a frame must begin with {MAGIC!r}; got {magic!r}")
    if version != VERSION:
        raise WireError(f"a frame must be of version {VERSION}; got {version}")
    if kind not in Kind._value2member_map_:
        raise WireError(f"a frame's kind must be from 1 to {len(Kind)}; got {kind}")
    if dimension not in (None, declared):
        raise WireError(f"a frame must have dimension {dimension}; got {declared}")
    payload = np.frombuffer(whole, np.uint8, offset=HEADER_BYTES)
    frame = Frame(Kind(kind), code, round, declared, count, payload)
    if length != len(payload):
        raise WireError(f"a frame must have the payload of {length} bytes that it declares; got {len(payload)}")
    _check(frame)
    head = whole[: HEADER_BYTES - _CHECKSUM.size]
    if crc32(payload.data, crc32(head)) != checksum or whole[7] != 0:
        raise WireError(f"a frame must match its checksum; got {checksum:#010x}")
    return frame


def _check(frame: Frame) -> None:
    if not 1 <= frame.dimension <= MAX_DIMENSION:
        raise WireError(f"a frame's dimension must be from 1 to {MAX_DIMENSION}; got {frame.dimension}")
    if not 1 <= frame.count <= MAX_COUNT:
        raise WireError(f"a frame's count must be from 1 to {MAX_COUNT}; got {frame.count}")
    if not 0 <= frame.round < 1 << 64:
        raise WireError(f"a frame's round must fit into 64 bits; got {frame.round}")
    numeric = frame.kind in (Kind.MODEL, Kind.GRADIENT)
    if frame.code not in (NUMBERS if numeric else (0,)):
        raise WireError(f"a frame of kind {frame.kind.name} must have a type that fits; got code {frame.code}")
    if frame.payload.nbytes != frame.length:
        raise WireError(
            f"{frame.kind.name} of {frame.count} on {frame.dimension} coordinates must have {frame.length} bytes; "
            f"got {frame.payload.nbytes}"
        )
