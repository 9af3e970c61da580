"""On what share of the coordinates two messages take different sides.

A message takes a side on every coordinate: above or below the message that would pull nowhere (x0 where messages are
models, 0 where they are gradients), or neither. Sides are all that l1-RSA reads of a message.
"""

import numpy as np

from holdfast.kernels import differing_bits
from holdfast.kernels.comparisons import Shares, Words, sides
from holdfast.typing import Rows, Sides, Vector


def words_of(messages: Rows | Sides, neutral: Vector) -> tuple[Words, int]:
    """Return the sides that messages take, a row of words each, and in how many bits opposite messages differ.

    Numbers need two bits per coordinate, above and below. Of bits one says all, since no side is left open: so both
    give the same shares for the same sides, exactly.
    """
    if isinstance(messages, Sides):
        return np.ascontiguousarray(messages.bits).view(np.uint64), messages.dimension
    return sides(messages, neutral), 2 * len(neutral)


def differences(messages: Rows | Sides, neutral: Vector) -> Shares:
    """Return for all pairs the mean over coordinates of |s_i - s_k| / 2, s = sign(row - neutral): opposite sides
    count 1, a side against none 1/2. NaN takes no side.

    As bits (above, below) this is the Hamming distance over 2 d: exact, and no matter in which order it is counted.
    """
    words, bits = words_of(messages, neutral)
    return np.asarray(differing_bits(words, words) / bits)
