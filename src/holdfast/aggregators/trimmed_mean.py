from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import CoordinateWise
from holdfast.aggregators.requirements import require_majority, require_whole
from holdfast.aggregators.weighing import Weights, mean_between, sort_columns
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector


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
