"""Who stands apart: what a master can tell from messages alone, not knowing who lies nor how many do.

A message takes a side on every coordinate: above or below the message that would pull nowhere (x0 where
messages are models, 0 where they are gradients), or neither. Sides are all that l1-RSA reads of a message,
so that nothing here needs more than what it needs. docs/workers.md argues and measures it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.typing import Rows, Vector

APART = 3.5
"""Robust standard deviations above the median at which a worker is suspected (Iglewicz and Hoaglin, 1993)."""
LEAST_SPREAD = 0.01
"""The least standard deviation assumed: one coordinate in a hundred more or less makes nobody suspect."""

Shares = NDArray[np.float64]
"""Shares of coordinates, of shape `(n,)` or `(n, n)`."""


@dataclass(frozen=True)
class Standing:
    """How the messages of one round stand to each other, an entry a worker."""

    disagreement: list[float]
    """Median over the other workers of the share of coordinates on which the two take different sides."""
    twins: list[int]
    """How many others take the same side on every coordinate; 0 for a message that takes none anywhere."""


def standing(rows: Rows, neutral: Vector) -> Standing:
    """Compare every message with every other.

    >>> standing(np.array([[1.0, 2.0], [3.0, 1.0], [2.0, -1.0]]), neutral=np.zeros(2))
    Standing(disagreement=[0.25, 0.25, 0.5], twins=[1, 1, 0])
    """
    differing = differences(rows, neutral)
    others = ~np.eye(len(rows), dtype=bool)
    if len(rows) == 1:
        return Standing([0.0], [0])
    disagreement = np.median(differing[others].reshape(len(rows), -1), axis=1)
    voting = ((rows > neutral) | (rows < neutral)).any(axis=1)
    twins = ((differing == 0) & others).sum(axis=1) * voting
    return Standing(disagreement.tolist(), twins.tolist())


def differences(rows: Rows, neutral: Vector) -> Shares:
    """Return for all pairs the mean over coordinates of |s_i - s_k| / 2, s = sign(row - neutral): opposite sides
    count 1, a side against none 1/2. NaN takes no side.

    As bits (above, below) this is the Hamming distance over 2 d: exact, and no matter in which order it is counted.
    """
    sides = np.packbits(np.hstack([rows > neutral, rows < neutral]), axis=1)
    padded = np.zeros((len(rows), (sides.shape[1] + 7) // 8 * 8), np.uint8)
    padded[:, : sides.shape[1]] = sides
    words = padded.view(np.uint64)
    bits = np.array([np.bitwise_count(words ^ row).sum(axis=1, dtype=np.int64) for row in words])
    return np.asarray(bits / (2 * rows.shape[1]))


def suspicion(history: Sequence[Sequence[float]]) -> Shares:
    """Return how far each worker's mean disagreement lies above the median worker's, in robust deviations.

    z_i = (d_i - median d) / max(1.4826 median |d - median d|, LEAST_SPREAD); at APART it is suspect.

    >>> suspicion([[0.20, 0.21, 0.22, 0.22, 0.80]]).round(1).tolist()
    [-1.3, -0.7, 0.0, 0.0, 39.1]
    """
    shares = np.mean(history, axis=0)
    above = shares - np.median(shares)
    # 1.4826 makes it the standard deviation of normal values
    spread = max(1.4826 * float(np.median(np.abs(above))), LEAST_SPREAD)
    return np.asarray(above / spread)


def copied(history: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return who had a twin whenever one looked: one of two such workers repeats the other, or both a third."""
    return np.asarray(np.min(history, axis=0) > 0)
