"""Means of the values of every coordinate that are nearest to its centre: the median, or the trimmed mean."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.aggregators.requirements import Declared, require_majority
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class MeaMed(Declared, CoordinateWise):
    """The mean of the n - byzantine values of every coordinate that are nearest to its median.

    Xie, Koyejo and Gupta (2018), "Generalized Byzantine-tolerant SGD", mean around median; of two values as near,
    the lower. For even n the median is the mean of the two middle values. NaN counts as +infinity. While at most
    `byzantine` of n > 2 byzantine rows lie, no coordinate leaves the range of the honest values by more than
    byzantine / (n - byzantine) of that range: the median is between honest values, and none of the averaged values is
    farther from it than the farthest honest one. `byzantine=None`: the run tells.

    >>> MeaMed(byzantine=1)(np.array([[0.0], [1.0], [5.0], [np.nan]]))
    array([2.])
    """

    cites: ClassVar[tuple[str, ...]] = ("xie2018generalized",)

    def columns(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_majority(self, len(rows))
        return kernels.mean_nearest(rows, np.arange(n), range((n - 1) // 2, n // 2 + 1), n - byzantine)


@dataclass(frozen=True)
class Phocas(Declared, CoordinateWise):
    """The mean of the n - byzantine values of every coordinate that are nearest to its trimmed mean.

    Xie, Koyejo and Gupta (2018), "Phocas"; `byzantine` values are trimmed at each end; of two values as
    near, the lower. NaN counts as +infinity. While at most `byzantine` of n > 2 byzantine rows lie, no coordinate
    leaves the range of the honest values by more than byzantine / (n - byzantine) of that range, for the same reasons
    as MeaMed. `byzantine=None`: the run tells.

    >>> Phocas(byzantine=1)(np.array([[0.0], [1.0], [5.0], [np.nan]]))
    array([2.])
    """

    cites: ClassVar[tuple[str, ...]] = ("xie2018phocas",)

    def columns(self, rows: Rows) -> Vector:
        n, byzantine = len(rows), require_majority(self, len(rows))
        return kernels.mean_nearest(rows, np.arange(n), range(byzantine, n - byzantine), n - byzantine)
