"""Messages as frames, and back, and how many bytes a message takes."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from holdfast.engines.wire.frame import NUMBERS, Data, Frame, Kind, WireError, decode, encode
from holdfast.kernels import bit_width
from holdfast.onebit import counts_of, planes_of
from holdfast.typing import Bits, Rows, Sides, Tally, Vector


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
    _check_padding(bits, dimension)
    return encode(Frame(Kind.SIDES, 0, round, dimension, len(bits), bits))


def sides_of(frame: Frame) -> Bits:
    """Return the bits in a frame, `(n, bit_width(d))`, a view of its bytes."""
    _expect(frame, Kind.SIDES)
    bits = frame.payload.reshape(frame.count, -1)
    _check_padding(bits, frame.dimension)
    return bits


def tally(votes: Tally, round: int) -> bytes:
    """Return a tally as a frame: per coordinate as many bits as the number of voters has."""
    planes = planes_of(votes.ones, votes.voters.bit_length())
    return encode(Frame(Kind.TALLY, 0, round, len(votes.ones), votes.voters, planes))


def write(kind: Kind, rows: Rows | Sides | Tally, round: int) -> bytes:
    """Return the messages of a round as a frame of this kind, which must fit them."""
    if kind is Kind.TALLY:
        return tally(cast(Tally, rows), round)
    if kind is Kind.SIDES:
        return sides(*cast(Sides, rows), round)
    return floats(kind, cast(Rows, rows), round)


def tally_of(frame: Frame) -> Tally:
    """Return the tally in a frame. The counts take at most eight bytes per bit that came."""
    _expect(frame, Kind.TALLY)
    planes = frame.payload.reshape(-1, bit_width(frame.dimension))
    _check_padding(planes, frame.dimension)
    ones = counts_of(np.ascontiguousarray(planes), frame.dimension)
    if ones.max() > frame.count:
        raise WireError(f"a count must be at most the {frame.count} voters; got {ones.max()}")
    return Tally(ones, frame.count)


def read(data: Data, dimension: int | None = None) -> tuple[Frame, Rows | Bits | Tally]:
    """Return the frame in these bytes and its content, whatever its kind."""
    frame = decode(data, dimension)
    readers: dict[Kind, Callable[[Frame], Rows | Bits | Tally]] = {
        Kind.MODEL: rows_of,
        Kind.GRADIENT: rows_of,
        Kind.SIDES: sides_of,
        Kind.TALLY: tally_of,
    }
    return frame, readers[frame.kind](frame)


def _check_padding(bits: Bits, dimension: int) -> None:
    """Refuse set bits beyond the last coordinate: each message has one encoding."""
    places = np.arange(dimension, 8 * bit_width(dimension))  # fewer than 64
    if (bits[:, places % bits.shape[1]] >> (places // bits.shape[1]).astype(np.uint8) & 1).any():
        raise WireError(f"bits beyond the dimension {dimension} must be 0; got some that are set")


def _expect(frame: Frame, *kinds: Kind) -> None:
    if frame.kind not in kinds:
        raise WireError(f"a frame must be of kind {' or '.join(kind.name for kind in kinds)}; got {frame.kind.name}")


def message_bytes(kind: Kind, dimension: int, dtype: DTypeLike = np.float32, count: int = 1) -> int:
    """Return the bytes of a frame of `count` rows, in numbers of this type or bits, or of a tally of `count` voters.

    >>> message_bytes(Kind.MODEL, 7850), message_bytes(Kind.SIDES, 7850), message_bytes(Kind.TALLY, 7850, count=20)
    (31444, 1028, 4964)
    """
    if kind is Kind.TALLY:
        return len(tally(Tally(np.zeros(dimension, np.min_scalar_type(count)), count), 0))
    if kind is Kind.SIDES:
        return len(sides(np.zeros((count, bit_width(dimension)), np.uint8), dimension, 0))
    return len(floats(kind, np.zeros((count, dimension), dtype), 0))
