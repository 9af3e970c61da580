"""A packet: a kind and named arrays, for all except a round's messages: states, sums, errors, requests.

    HFSP | CRC-32 of all that follows | length of the head | head: JSON [kind, [[name, type, shape], ...]] | the arrays

As with frames, nothing is executed, and arrays are views of the bytes that came.
"""

import json
import struct
from math import prod
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from holdfast.engines.wire.frame import Data, WireError, view_bytes
from holdfast.errors import EngineError, InvalidInput, in_one_line
from holdfast.states import Arrays
from holdfast.typing import Array

MAGIC = b"HFSP"
MAX_HEAD = 1 << 16
"""Bytes that a head may have; real heads are far shorter."""
ERRORS = ("invalid", "failed")
"""Kinds of packets that report an error."""
LINE = 300
"""Characters of an error that are passed on."""
_START = struct.Struct("<4sII")
_CHECKED = 8
"""Where the checked bytes begin."""


class Packet(NamedTuple):
    """The content of a packet. The arrays are read-only where the bytes are."""

    kind: str
    arrays: dict[str, Array]


def pack(kind: str, /, **arrays: ArrayLike) -> bytes:
    """Return a packet as bytes. Bytes may stand for an array of bytes.

    >>> unpack(pack("total", sum=[1.0, 2.0]))
    Packet(kind='total', arrays={'sum': array([1., 2.])})
    """
    own = {name: _as_array(array) for name, array in arrays.items()}
    little = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in own.items()}
    about = [[name, little[name].dtype.str, array.shape] for name, array in own.items()]
    head = json.dumps([kind, about], separators=(",", ":")).encode()
    bodies = [array.reshape(-1).view(np.uint8).data for array in little.values()]
    start = _START.pack(MAGIC, 0, len(head))
    checksum = crc32(head, crc32(start[_CHECKED:]))
    for body in bodies:
        checksum = crc32(body, checksum)
    return b"".join([_START.pack(MAGIC, checksum, len(head)), head, *bodies])


def _as_array(array: ArrayLike) -> Array:
    return np.frombuffer(array, np.uint8) if isinstance(array, bytes) else np.asarray(array)


def is_packet(data: Data) -> bool:
    """Return whether these bytes begin like a packet."""
    return bytes(view_bytes(data)[: len(MAGIC)]) == MAGIC


def unpack(data: Data) -> Packet:
    """Return the packet in these bytes."""
    whole = view_bytes(data)
    if len(whole) < _START.size:
        raise WireError(f"a packet must have at least {_START.size} bytes; got {len(whole)}")
    magic, checksum, length = _START.unpack_from(whole)
    if magic != MAGIC:
        raise WireError(f"a packet must begin with {MAGIC!r}; got {magic!r}")
    if crc32(whole[_CHECKED:]) != checksum:
        raise WireError(f"a packet must match its checksum; got {checksum:#010x}")
    body = _START.size + length
    if length > MAX_HEAD or body > len(whole):
        raise WireError(f"a packet's head must be at most {MAX_HEAD} bytes and be there; got {length} declared")
    kind, about = _parse_head(bytes(whole[_START.size : body]))
    arrays: dict[str, Array] = {}
    for name, dtype, shape in about:
        size = prod(shape) * dtype.itemsize
        if body + size > len(whole):
            raise WireError(f"a packet must hold the arrays that it declares; got too few bytes for {name!r}")
        arrays[name] = np.frombuffer(whole[body : body + size], dtype).reshape(shape)
        body += size
    if body != len(whole) or len(arrays) != len(about):
        raise WireError("a packet must hold the arrays that it declares, each once; got more")
    return Packet(kind, arrays)


def _parse_head(text: bytes) -> tuple[str, list[tuple[str, np.dtype[Any], tuple[int, ...]]]]:
    try:
        kind, about = json.loads(text)
        entries = [(name, np.dtype(dtype), tuple(shape), dtype) for name, dtype, shape in about]
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise WireError("a packet's head must be a kind and its arrays; got something else") from None
    for name, dtype, shape, spelled in entries:
        plain = isinstance(name, str) and dtype.kind in "biuf" and dtype.str == spelled
        if not plain or len(shape) > 8 or not all(type(n) is int and 0 <= n < 1 << 48 for n in shape):
            raise WireError("a packet's arrays must have a name, numbers of a plain type, and a shape; got others")
    if not isinstance(kind, str):
        raise WireError("a packet's kind must be a text; got something else")
    return kind, [entry[:3] for entry in entries]


def pack_error(error: Exception) -> bytes:
    """Return an error as an answer of one line; `invalid` is an error that the user can mend."""
    kind = "invalid" if isinstance(error, InvalidInput) else "failed"
    text = str(error) if isinstance(error, InvalidInput | EngineError) else in_one_line(error)
    return pack(kind, text=" ".join(text.split()).encode())


def is_error(answer: Data) -> bool:
    """Return whether an answer reports an error."""
    return is_packet(answer) and unpack(answer).kind in ERRORS


def open_answer(data: Data, trusted: bool, kind: str) -> Arrays:
    """Return the arrays in an answer of this kind.

    An error that a trusted sender reports and that the user can mend is raised as InvalidInput. Every other error is
    an unusable answer.
    """
    packet = unpack(data)
    if packet.kind in ERRORS and set(packet.arrays) == {"text"}:
        line = _printable(packet.arrays["text"].tobytes())
        if trusted and packet.kind == "invalid":
            raise InvalidInput(line)
        raise WireError(f"an answer must be of kind {kind}; got an error: {line}")
    if packet.kind != kind:
        raise WireError(f"an answer must be of kind {kind}; got {_printable(packet.kind.encode())}")
    return packet.arrays


def take_array(arrays: Arrays, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    """Return the array of this name; WireError if its type or shape is another."""
    array = arrays.get(name)
    if array is None or (array.dtype.newbyteorder("="), array.shape) != (np.dtype(dtype), shape):
        came = "none" if array is None else f"{array.dtype} of shape {array.shape}"
        raise WireError(f"an answer must hold {name} as {np.dtype(dtype)} of shape {shape}; got {came}")
    return array


def _printable(text: bytes) -> str:
    """Return a text from elsewhere as one line that is safe to print."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text.decode(errors="replace"))
    return shown[:LINE]
