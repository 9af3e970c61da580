from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.families import Rule
from holdfast.arrays import check_rows, like
from holdfast.typing import Rows, Vector


@dataclass(frozen=True)
class MajorityVote(Rule):
    """The sign that most rows have, coordinate by coordinate: 1, -1, or 0 where they are even.

    Bernstein et al. (2019), signSGD with majority vote:

        sign(sum_i sign(x_i)), the outer and the inner sign of every coordinate.

    Zeros and NaN vote neither way, infinities by their sign. While q rows lie, every coordinate on which the honest
    votes differ by more than q has the sign of their majority; no coordinate is beyond 1. The result does not scale
    with the rows, so step sizes do not compare with those of other rules.

    >>> MajorityVote()(np.array([[0.1, -2.0], [3.0, -5.0], [-99.0, np.nan]]))
    array([ 1., -1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("bernstein2019signsgd",)

    def __call__(self, rows: Rows) -> Vector:
        array = check_rows(self, rows)
        against = kernels.sign_sum(np.zeros_like(array[0]), array)  # of 0 - x_i
        return like(rows, np.sign(0 - against))
