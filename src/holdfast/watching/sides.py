"""On what share of the coordinates two messages take different sides.

A message takes a side on every coordinate: above or below the message that would pull nowhere (x0 where messages are
models, 0 where they are gradients), or neither. Sides are all that l1-RSA reads of a message.
"""

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.typing import Rows, Vector

BLOCK = 2**22
"""Entries of an array that is there in parts only: 32 MB of counts."""

Words = NDArray[np.uint64]
"""Sides as bits, a row per message."""
Shares = NDArray[np.float64]
"""Shares of coordinates, of shape `(n,)` or `(n, k)`."""


def differences(rows: Rows, neutral: Vector) -> Shares:
    """Return for all pairs the mean over coordinates of |s_i - s_k| / 2, s = sign(row - neutral): opposite sides
    count 1, a side against none 1/2. NaN takes no side.

    As bits (above, below) this is the Hamming distance over 2 d: exact, and no matter in which order it is counted.
    """
    words = sides(rows, neutral)
    return np.asarray(distances(words, words) / (2 * rows.shape[1]))


def sides(rows: Rows, neutral: Vector) -> Words:
    """Return two bits for each coordinate of each row: whether it is above, and whether it is below."""
    words = np.zeros((len(rows), -(-2 * rows.shape[1] // 64)), np.uint64)
    for block in blocks(*rows.shape):
        packed = np.packbits(np.hstack([rows[block] > neutral, rows[block] < neutral]), axis=1)
        words.view(np.uint8)[block, : packed.shape[1]] = packed
    return words


def distances(some: Words, others: Words) -> NDArray[np.int64]:
    """Return how many bits of these rows differ from those of the others, `(n, k)`."""
    return kernels.differing_bits(some, others)


def blocks(rows: int, width: int) -> list[slice]:
    """Return slices of so many rows that an array of this width over them is small."""
    step = max(1, BLOCK // width)
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]
