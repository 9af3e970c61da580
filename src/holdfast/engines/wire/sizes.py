"""How many bytes a message takes: the length of a frame that is built for it."""

import numpy as np
from numpy.typing import DTypeLike

from holdfast.engines.wire.frames import Kind
from holdfast.engines.wire.messages import floats, sides, tally
from holdfast.kernels import bit_width
from holdfast.typing import Tally


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
