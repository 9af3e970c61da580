from dataclasses import dataclass
from typing import ClassVar

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.aggregators.weighing import Weights
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Mean(CoordinateWise):
    """The average of the rows. Not robust: one row moves it anywhere, and NaN or infinity pass through.

    >>> import numpy as np
    >>> Mean()(np.array([[0.0, 1.0], [2.0, 5.0]]))
    array([1., 3.])
    """

    bounded: ClassVar[bool] = False
    rotation_equivariant: ClassVar[bool] = True

    def columns(self, rows: Rows) -> Vector:
        return kernels.mean(rows)

    def weigh(self, rows: Rows, weights: Weights) -> Vector:
        """Return sum_i w_i v_i / sum_i w_i."""
        return kernels.combination(weights / weights.sum(), rows)
