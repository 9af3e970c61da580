"""Arrays as frames, frames as arrays, and how many bytes a frame has."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from holdfast.engines.wire.frame import NUMBERS, Data, Frame, Kind, WireError, decode, encode
from holdfast.kernels import bit_width
from holdfast.onebit.planes import counts_of, planes_of
from holdfast.typing import Bits, Rows, Tally, Vector


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
    _nothing_beyond(bits, dimension)
    return encode(Frame(Kind.SIDES, 0, round, dimension, len(bits), bits))


def sides_of(frame: Frame) -> Bits:
    """Return the bits in a frame, `(n, bit_width(d))`, a view of its bytes."""
    _expect(frame, Kind.SIDES)
    bits = frame.payload.reshape(frame.count, -1)
    _nothing_beyond(bits, frame.dimension)
    return bits


def tally(counted: Tally, round: int) -> bytes:
    """Return a tally as a frame: as many bits a coordinate as the number of voters has."""
    planes = planes_of(counted.ones, counted.voters.bit_length())
    return encode(Frame(Kind.TALLY, 0, round, len(counted.ones), counted.voters, planes))


def tally_of(frame: Frame) -> Tally:
    """Return the tally in a frame. Its counts take at most eight bytes for each bit of a count that came."""
    _expect(frame, Kind.TALLY)
    planes = frame.payload.reshape(-1, bit_width(frame.dimension))
    _nothing_beyond(planes, frame.dimension)
    ones = counts_of(np.ascontiguousarray(planes), frame.dimension)
    if ones.max() > frame.count:
        raise WireError(f"a count must be at most the {frame.count} voters; got {ones.max()}")
    return Tally(ones, frame.count)


def read(data: Data, dimension: int | None = None) -> tuple[Frame, Rows | Bits | Tally]:
    """Return the frame in these bytes and what it holds, whatever its kind."""
    frame = decode(data, dimension)
    readers: dict[Kind, Callable[[Frame], Rows | Bits | Tally]] = {
        Kind.MODEL: rows_of,
        Kind.GRADIENT: rows_of,
        Kind.SIDES: sides_of,
        Kind.TALLY: tally_of,
    }
    return frame, readers[frame.kind](frame)


def _nothing_beyond(bits: Bits, dimension: int) -> None:
    """Refuse bits that belong to no coordinate: there is one way to say a thing."""
    places = np.arange(dimension, 8 * bit_width(dimension))  # fewer than 64
    if (bits[:, places % bits.shape[1]] >> (places // bits.shape[1]).astype(np.uint8) & 1).any():
        raise WireError(f"bits beyond the dimension {dimension} must be 0; got some that are set")


def _expect(frame: Frame, *kinds: Kind) -> None:
    if frame.kind not in kinds:
        raise WireError(f"a frame must be of kind {' or '.join(kind.name for kind in kinds)}; got {frame.kind.name}")


def message_bytes(kind: Kind, dimension: int, dtype: DTypeLike = np.float32, count: int = 1) -> int:
    """Return the bytes of a frame: of `count` rows in numbers of this type or bits, or of a tally of `count` voters.

    >>> message_bytes(Kind.MODEL, 7850), message_bytes(Kind.SIDES, 7850), message_bytes(Kind.TALLY, 7850, count=20)
    (31444, 1028, 4964)
    """
    if kind is Kind.TALLY:
        return len(tally(Tally(np.zeros(dimension, np.min_scalar_type(count)), count), 0))
    if kind is Kind.SIDES:
        return len(sides(np.zeros((count, bit_width(dimension)), np.uint8), dimension, 0))
    return len(floats(kind, np.zeros((count, dimension), dtype), 0))
