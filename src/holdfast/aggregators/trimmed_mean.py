from dataclasses import dataclass

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class TrimmedMean(CoordinateWise):
    """The mean of every coordinate after dropping its `trim` largest and `trim` smallest values.

    Yin et al. (2018), Definition 2. NaN counts as +infinity. While at most `trim` rows lie, every
    coordinate stays between two honest values.

    >>> import numpy as np
    >>> TrimmedMean(trim=1)(np.array([[0.0], [1.0], [99.0]]))
    array([1.])
    """

    trim: int

    def __post_init__(self) -> None:
        if self.trim < 0:
            raise InvalidInput(f"TrimmedMean needs trim >= 0; got trim={self.trim}")

    def columns(self, rows: Rows) -> Vector:
        n = len(rows)
        if n <= 2 * self.trim:
            raise InvalidInput(f"TrimmedMean needs n > 2 * trim; got n={n}, trim={self.trim}")
        return kernels.mean_of_ranks(rows, range(self.trim, n - self.trim))
