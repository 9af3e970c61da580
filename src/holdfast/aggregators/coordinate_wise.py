"""Rules that look at one coordinate at a time: mean, median, trimmed mean, means of the values nearest to a centre."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.aggregators.requirements import Declared, require_majority, require_whole
from holdfast.aggregators.weighing import Weights, mean_between, sort_columns
from holdfast.errors import InvalidInput
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


@dataclass(frozen=True)
class Median(CoordinateWise):
    """The middle value of every coordinate; the mean of the two middle ones when n is even.

    Yin et al. (2018), Definition 1; Xie et al. (2018). NaN counts as +infinity. While fewer than half of
    the rows lie, every coordinate stays between two honest values.

    >>> Median()(np.array([[0.0], [1.0], [np.nan]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("yin2018byzantine", "xie2018generalized")

    def columns(self, rows: Rows) -> Vector:
        n = len(rows)
        return kernels.mean_of_ranks(rows, range((n - 1) // 2, n // 2 + 1))

    def weigh(self, rows: Rows, weights: Weights) -> Vector:
        """Return the value at which half of the weight is reached; the mean with the next where it is exactly half.

        While Byzantine rows have less than half of the weight, it stays between two honest values.
        """
        values, sums = sort_columns(rows, weights)
        half, slack = sums[-1] / 2, 1e-12 * sums[-1]
        low = np.argmax(sums >= half - slack, axis=0)
        high = np.argmax(sums > half + slack, axis=0)
        lower, upper = (np.take_along_axis(values, at[np.newaxis], axis=0)[0] for at in (low, high))
        with np.errstate(over="ignore"):
            middle: Vector = np.where(lower == upper, lower, lower / 2 + upper / 2)
        return middle


@dataclass(frozen=True)
class TrimmedMean(CoordinateWise):
    """The mean of every coordinate after dropping its `trim` largest and `trim` smallest values.

    Yin et al. (2018), Definition 2: with v_(1) <= ... <= v_(n) the values of a coordinate,

        1 / (n - 2 trim) * (v_(trim + 1) + ... + v_(n - trim)).

    NaN counts as +infinity. While at most `trim` rows lie, every coordinate stays between two honest
    values. `trim=None`: the run tells.

    >>> TrimmedMean(trim=1)(np.array([[0.0], [1.0], [99.0]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("yin2018byzantine",)
    declared_option: ClassVar[str] = "trim"
    trim: int | None = None

    def __post_init__(self) -> None:
        require_whole(self, "trim", optional=True)

    def columns(self, rows: Rows) -> Vector:
        n, trim = len(rows), require_majority(self, len(rows))
        return kernels.mean_of_ranks(rows, range(trim, n - trim))

    def weigh(self, rows: Rows, weights: Weights) -> Vector:
        """Return the mean without the weight of the `trim` heaviest rows at either end; a value may count in part.

        While at most `trim` rows lie, every coordinate stays between two honest values.
        """
        trim = require_majority(self, len(rows))
        cut, whole = float(np.sort(weights)[::-1][:trim].sum()), float(weights.sum())
        if 2 * cut >= whole:
            raise InvalidInput(
                f"TrimmedMean needs the {trim} heaviest rows to have less than half of the weight; "
                f"got {cut / whole:.3g} of it"
            )
        return mean_between(*sort_columns(rows, weights), cut, whole - cut)


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
