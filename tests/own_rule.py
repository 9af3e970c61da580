"""A rule of a user's own."""

from dataclasses import dataclass

import numpy as np

from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Middle:
    """The middle between the smallest and the largest value of each coordinate."""

    def __call__(self, rows: Rows) -> Vector:
        return np.asarray((rows.min(axis=0) + rows.max(axis=0)) / 2)
