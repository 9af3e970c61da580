from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.families import NormWise
from holdfast.aggregators.options import require_positive
from holdfast.typing import Vector


@dataclass(frozen=True)
class ClippedMean(NormWise):
    """The mean of the rows, each shortened to at most `radius`.

        1/n sum_i x_i min(1, radius / |x_i|)

    Centred clipping without memory: its centre is always 0. A row with NaN or an infinity, or so long that its square
    overflows, adds nothing, but counts in n. The result is at most `radius` long, and q rows moved anywhere move it by
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
