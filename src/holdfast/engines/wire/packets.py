"""A packet: its kind and some named arrays, for all that is not a round's message: states, sums, errors, requests.

    HFSP | CRC-32 of all the rest | length of the head | head: JSON [kind, [[name, type, shape], ...]] | the arrays

As with frames, nothing is executed, and what is read is a view of the bytes that came.
"""

import json
import struct
from math import prod
from typing import Any, NamedTuple, cast
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from holdfast.engines.wire.frame import Data, WireError
from holdfast.errors import InvalidInput
from holdfast.states import Arrays

MAGIC = b"HFSP"
MAX_HEAD = 1 << 16
"""Bytes of a head; nothing that is sent comes near."""
_START = struct.Struct("<4sII")
_CHECKED = 8
"""Where the bytes begin that the checksum covers."""


class Packet(NamedTuple):
    """What a packet holds. The arrays are read-only where the bytes are."""

    kind: str
    arrays: dict[str, NDArray[Any]]


def pack(kind: str, /, **arrays: ArrayLike) -> bytes:
    """Return a packet as bytes; bytes in place of an array are an array of them.

    >>> unpack(pack("total", sum=[1.0, 2.0]))
    Packet(kind='total', arrays={'sum': array([1., 2.])})
    """
    given = [(name, _array(array)) for name, array in arrays.items()]
    little = [(name, np.ascontiguousarray(array, array.dtype.newbyteorder("<"))) for name, array in given]
    about = [
        [name, array.dtype.str, given_as.shape] for (name, array), (_, given_as) in zip(little, given, strict=True)
    ]
    head = json.dumps([kind, about], separators=(",", ":")).encode()
    bodies = [array.reshape(-1).view(np.uint8).data for _, array in little]
    start = _START.pack(MAGIC, 0, len(head))
    checksum = crc32(head, crc32(start[_CHECKED:]))
    for body in bodies:
        checksum = crc32(body, checksum)
    return b"".join([_START.pack(MAGIC, checksum, len(head)), head, *bodies])


def _array(given: ArrayLike) -> NDArray[Any]:
    return np.frombuffer(given, np.uint8) if isinstance(given, bytes) else np.asarray(given)


def is_packet(data: Data) -> bool:
    """Return whether these bytes begin like a packet."""
    return bytes(memoryview(cast(Any, data))[: len(MAGIC)]) == MAGIC


def unpack(data: Data) -> Packet:
    """Return the packet in these bytes."""
    whole = memoryview(cast(Any, data))
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
    kind, about = _head(bytes(whole[_START.size : body]))
    arrays: dict[str, NDArray[Any]] = {}
    for name, dtype, shape in about:
        size = prod(shape) * dtype.itemsize
        if body + size > len(whole):
            raise WireError(f"a packet must hold the arrays that it declares; got too few bytes for {name!r}")
        arrays[name] = np.frombuffer(whole[body : body + size], dtype).reshape(shape)
        body += size
    if body != len(whole) or len(arrays) != len(about):
        raise WireError("a packet must hold the arrays that it declares, each once; got more")
    return Packet(kind, arrays)


def _head(text: bytes) -> tuple[str, list[tuple[str, np.dtype[Any], tuple[int, ...]]]]:
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


LINE = 300
"""Characters of an error that are passed on."""


def opened(data: Data, trusted: bool, kind: str) -> Arrays:
    """Return the arrays in an answer of this kind.

    An error that a trusted sender reports and that the user can mend is raised as InvalidInput. Every other error is
    an unusable answer.
    """
    packet = unpack(data)
    if packet.kind in ("invalid", "failed") and set(packet.arrays) == {"text"}:
        line = _line(packet.arrays["text"].tobytes())
        if trusted and packet.kind == "invalid":
            raise InvalidInput(line)
        raise WireError(f"an answer must be of kind {kind}; got an error: {line}")
    if packet.kind != kind:
        raise WireError(f"an answer must be of kind {kind}; got {_line(packet.kind.encode())}")
    return packet.arrays


def reported(error: Exception) -> bytes:
    """Return an error as an answer: whether it is the user's to mend, and one line."""
    known = isinstance(error, InvalidInput)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return pack("invalid" if known else "failed", text=np.frombuffer(" ".join(text.split()).encode(), np.uint8))


def due(arrays: Arrays, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array of this name, if it has this type and shape."""
    found = arrays.get(name)
    if found is None or (found.dtype.newbyteorder("="), found.shape) != (np.dtype(dtype), shape):
        came = "none" if found is None else f"{found.dtype} of shape {found.shape}"
        raise WireError(f"an answer must hold {name} as {np.dtype(dtype)} of shape {shape}; got {came}")
    return found


def _line(text: bytes) -> str:
    """Return a text from elsewhere as one line that is safe to print."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text.decode(errors="replace"))
    return shown[:LINE]
