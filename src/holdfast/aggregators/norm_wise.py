"""Rules that weigh rows by their lengths: clipped, normalised, or the shortest alone."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.families import NormWise
from holdfast.aggregators.requirements import Declared, require_majority, require_positive
from holdfast.typing import Vector


@dataclass(frozen=True)
class ClippedMean(NormWise):
    """The mean of the rows, each shortened to at most `radius`.

        1/n sum_i x_i min(1, radius / |x_i|)

    Centred clipping without memory: its centre is always 0. A row with NaN or an infinity, or so long that its square
    overflows, adds nothing and counts in n. The result is at most `radius` long, and q rows moved anywhere move it by
    at most 2 q radius / n. `radius` is on the scale of the messages, so it has to be set anew for every problem.

    >>> ClippedMean(radius=2.0)(np.array([[1.0], [3.0], [-50.0], [np.nan]]))  # (1 + 2 - 2 + 0) / 4
    array([0.25])
    """

    cites: ClassVar[tuple[str, ...]] = ("karimireddy2021learning",)
    radius: float = 100.0

    def __post_init__(self) -> None:
        require_positive(self, "radius")

    def factors(self, lengths: Vector) -> Vector:
        return self.radius / np.maximum(lengths, self.radius) / len(lengths)


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


@dataclass(frozen=True)
class Cge(Declared, NormWise):
    """The mean of the n - byzantine shortest rows.

    Gupta, Liu and Vaidya (2020), comparative gradient elimination. Of rows as long as each other, the first. A row
    with NaN or an infinity, or so long that its square overflows, is infinitely long. While at most `byzantine` of
    n > 2 byzantine rows lie, the result is within 2 byzantine / (n - byzantine) times the length of the longest honest
    row of the honest mean. It does not move with the rows: what is near 0 is believed, so lies that are short and
    point the wrong way are never left out. `byzantine=None`: the run tells.

    >>> Cge(byzantine=1)(np.array([[3.0], [1.0], [-1.0], [-99.0]]))
    array([1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("gupta2020byzantine",)

    def factors(self, lengths: Vector) -> Vector:
        n, byzantine = len(lengths), require_majority(self, len(lengths))
        factors = np.zeros(n)
        factors[np.argsort(lengths, kind="stable")[: n - byzantine]] = 1 / (n - byzantine)
        return factors
