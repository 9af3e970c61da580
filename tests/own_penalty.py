"""Penalties of one's own, as tests of engines and of the command line import them."""

from dataclasses import dataclass

import numpy as np

from holdfast.methods import Penalty
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Huber(Penalty):
    """A quadratic within `delta` of 0 and |x| - delta / 2 beyond it, coordinate by coordinate: no norm."""

    weight: float = 1.0
    delta: float = 0.1
    p = 1.0

    def values(self, rows: Rows) -> Vector:
        size = np.abs(rows)
        near = size**2 / (2 * self.delta)
        return np.asarray(self.weight * np.where(size <= self.delta, near, size - self.delta / 2).sum(axis=-1))

    def subgradient(self, rows: Rows) -> Rows:
        slope = np.where(np.isnan(rows), 0, np.clip(rows / rows.dtype.type(self.delta), -1, 1))
        return np.asarray(self.weight * slope, rows.dtype)


@dataclass(frozen=True)
class Signs(Penalty):
    """The l1 norm, written plainly."""

    weight: float = 1.0
    p = 1.0

    def subgradient(self, rows: Rows) -> Rows:
        return np.asarray(self.weight * np.nan_to_num(np.sign(rows), nan=0.0), rows.dtype)
