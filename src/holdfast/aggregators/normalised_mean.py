from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.families import NormWise
from holdfast.typing import Vector

SHORTEST = 2.0**-126
"""The length below which a row is not made longer: the smallest normal number of float32."""


@dataclass(frozen=True)
class NormalisedMean(NormWise):
    """The mean of the rows' directions: each is made as long as 1.

    Zuo et al. (2025), Fed-NGA, with equal weights:

        1/n sum_i x_i / |x_i|

    A row shorter than 2^-126 is divided by that, so a row of zeros adds nothing; so does a row with NaN or an infinity,
    or so long that its square overflows; all count in n. The result is at most 1 long whatever the scale of the rows,
    so step sizes do not compare with those of other rules; q rows moved anywhere move it by at most 2 q / n.

    >>> NormalisedMean()(np.array([[3.0, 4.0], [0.0, 7.0]]))  # ((.6, .8) + (0, 1)) / 2
    array([0.3, 0.9])
    """

    cites: ClassVar[tuple[str, ...]] = ("zuo2025efficient",)

    def factors(self, lengths: Vector) -> Vector:
        return 1 / np.maximum(lengths, SHORTEST) / len(lengths)
