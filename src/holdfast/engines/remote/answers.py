"""Answers that are packets: what they hold, or the error that they report."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast.engines import wire
from holdfast.engines.wire import Data, WireError
from holdfast.errors import InvalidInput
from holdfast.states import Arrays

LINE = 300
"""Characters of an error that are passed on."""


def opened(data: Data, trusted: bool, kind: str) -> Arrays:
    """Return the arrays in an answer of this kind.

    An error that a trusted sender reports and that the user can mend is raised as InvalidInput. Every other error is
    an unusable answer.
    """
    packet = wire.unpack(data)
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
    return wire.pack("invalid" if known else "failed", text=np.frombuffer(" ".join(text.split()).encode(), np.uint8))


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
