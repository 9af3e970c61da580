"""From arrays to frames and back."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from holdfast.kernels import bit_width
from holdfast.typing import Bits, Rows, Tally, Vector
from holdfast.wire.frames import NUMBERS, Frame, Kind, WireError, decode, encode


def floats(kind: Kind, rows: Rows, round: int) -> bytes:
    """Return `(n, d)` models or gradients as a frame."""
    little = rows.dtype.newbyteorder("<")
    code = next((code for code, dtype in NUMBERS.items() if dtype == little), 0)
    body = np.ascontiguousarray(rows, little).reshape(-1).view(np.uint8)
    return encode(Frame(kind, code, round, rows.shape[1], len(rows), body))


def rows_of(frame: Frame) -> Rows:
    """Return the models or gradients in a frame, a view of its bytes."""
    _expect(frame, Kind.MODEL, Kind.GRADIENT)
    numbers: Any = NUMBERS[frame.code]
    rows: Rows = frame.payload.view(numbers).reshape(frame.count, frame.dimension)
    return rows


def model(x: Vector, round: int) -> bytes:
    """Return one model as a frame."""
    return floats(Kind.MODEL, x[np.newaxis], round)


def sides(bits: Bits, dimension: int, round: int) -> bytes:
    """Return `(n, bit_width(d))` bits as a frame."""
    if (bits.reshape(len(bits), -1) & _beyond(dimension)).any():
        raise WireError(f"bits beyond the dimension {dimension} must be 0; got some that are set")
    return encode(Frame(Kind.SIDES, 0, round, dimension, len(bits), bits))


def sides_of(frame: Frame) -> Bits:
    """Return the bits in a frame, `(n, bit_width(d))`, a view of its bytes."""
    _expect(frame, Kind.SIDES)
    bits = frame.payload.reshape(frame.count, -1)
    if (bits & _beyond(frame.dimension)).any():
        raise WireError(f"bits beyond the dimension {frame.dimension} must be 0; got some that are set")
    return bits


def tally(counted: Tally, round: int) -> bytes:
    """Return a tally as a frame: plane l holds bit l of every count, in the layout of a message."""
    dimension, width = len(counted.ones), bit_width(len(counted.ones))
    planes = np.empty((counted.voters.bit_length(), width), np.uint8)
    padded = np.zeros(8 * width, counted.ones.dtype)
    padded[:dimension] = counted.ones
    for level, plane in enumerate(planes):
        bits = (padded >> level).astype(np.uint8) & 1
        plane[:] = np.packbits(bits.reshape(8, width), axis=0, bitorder="little")[0]
    return encode(Frame(Kind.TALLY, 0, round, dimension, counted.voters, planes))


def tally_of(frame: Frame) -> Tally:
    """Return the tally in a frame. Its counts take at most four bytes for each bit of a count that came."""
    _expect(frame, Kind.TALLY)
    planes = frame.payload.reshape(-1, bit_width(frame.dimension))
    if (planes & _beyond(frame.dimension)).any():
        raise WireError(f"bits beyond the dimension {frame.dimension} must be 0; got some that are set")
    kind = np.min_scalar_type(frame.count)
    ones = np.zeros(frame.dimension, kind)
    for level, plane in enumerate(planes):
        bits = np.unpackbits(plane[np.newaxis], axis=0, bitorder="little").reshape(-1)[: frame.dimension]
        ones |= bits.astype(kind) << level
    if ones.max() > frame.count:
        raise WireError(f"a count must be at most the {frame.count} voters; got {ones.max()}")
    return Tally(ones, frame.count)


def read(data: bytes | memoryview, dimension: int | None = None) -> tuple[Frame, Rows | Bits | Tally]:
    """Return the frame in these bytes and what it holds, whatever its kind."""
    frame = decode(data, dimension)
    readers: dict[Kind, Callable[[Frame], Rows | Bits | Tally]] = {
        Kind.MODEL: rows_of,
        Kind.GRADIENT: rows_of,
        Kind.SIDES: sides_of,
        Kind.TALLY: tally_of,
    }
    return frame, readers[frame.kind](frame)


@lru_cache(maxsize=4)
def _beyond(dimension: int) -> Bits:
    """Return the mask of the bits of a message that belong to no coordinate."""
    width = bit_width(dimension)
    mask = np.zeros((8, width), np.uint8)
    mask.reshape(-1)[dimension:] = 1
    beyond: Bits = np.packbits(mask, axis=0, bitorder="little")[0]
    beyond.flags.writeable = False
    return beyond


def _expect(frame: Frame, *kinds: Kind) -> None:
    if frame.kind not in kinds:
        raise WireError(f"a frame must be of kind {' or '.join(kind.name for kind in kinds)}; got {frame.kind.name}")
