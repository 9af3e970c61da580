"""On what share of the coordinates two messages take different sides.

A message takes a side on every coordinate: above or below the message that would pull nowhere (x0 where messages are
models, 0 where they are gradients), or neither. Sides are all that l1-RSA reads of a message.
"""

import numpy as np

from holdfast.kernels import differing_bits
from holdfast.kernels.watching import Shares, sides
from holdfast.typing import Rows, Vector


def differences(rows: Rows, neutral: Vector) -> Shares:
    """Return for all pairs the mean over coordinates of |s_i - s_k| / 2, s = sign(row - neutral): opposite sides
    count 1, a side against none 1/2. NaN takes no side.

    As bits (above, below) this is the Hamming distance over 2 d: exact, and no matter in which order it is counted.
    """
    words = sides(rows, neutral)
    return np.asarray(differing_bits(words, words) / (2 * rows.shape[1]))
