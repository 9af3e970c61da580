"""The idx format of the MNIST family: a magic number, the shape, then bytes."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput


def parse(content: bytes) -> NDArray[Any]:
    """Return the array of unsigned bytes in an idx file.

    >>> parse(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
    array([7, 8, 9], dtype=uint8)
    """
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise InvalidInput(f"an idx file of bytes must begin with 00 00 08; got {content[:4].hex(' ')}")
    axes = content[3]
    header = 4 + 4 * axes
    shape = tuple(int.from_bytes(content[at : at + 4], "big") for at in range(4, header, 4))
    if len(content) != header + prod(shape):
        raise InvalidInput(f"an idx file of shape {shape} must have {header + prod(shape)} bytes; got {len(content)}")
    return np.frombuffer(content, dtype=np.uint8, offset=header).reshape(shape).copy()
