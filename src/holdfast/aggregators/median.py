from dataclasses import dataclass
from typing import ClassVar

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class Median(CoordinateWise):
    """The middle value of every coordinate; the mean of the two middle ones when n is even.

    Yin et al. (2018), Definition 1; Xie et al. (2018). NaN counts as +infinity. While fewer than half of
    the rows lie, every coordinate stays between two honest values.

    >>> import numpy as np
    >>> Median()(np.array([[0.0], [1.0], [np.nan]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("yin2018byzantine", "xie2018generalized")

    def columns(self, rows: Rows) -> Vector:
        n = len(rows)
        return kernels.mean_of_ranks(rows, range((n - 1) // 2, n // 2 + 1))
