"""A rule of your own is any callable from (n, d) rows to one vector; the fields of its dataclass are its options."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClippedMean:
    """The mean of the rows, each shortened to at most `factor` times their median length.

    A row with NaN or an infinity counts as 0. While fewer than half of the rows lie, no row is longer than an honest
    one times `factor`, and so neither is their mean.
    """

    factor: float = 1.0

    def __call__(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0).astype(rows.dtype)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        longest = self.factor * np.median(lengths)
        shares = np.divide(longest, lengths, out=np.ones_like(lengths), where=lengths > longest)
        return (shares * rows).mean(axis=0).astype(rows.dtype)
