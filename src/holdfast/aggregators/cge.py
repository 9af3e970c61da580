from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.aggregators.families import NormWise
from holdfast.aggregators.options import require_majority, require_whole
from holdfast.typing import Vector


@dataclass(frozen=True)
class Cge(NormWise):
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
    byzantine: int | None = None

    def __post_init__(self) -> None:
        require_whole(self, "byzantine", optional=True)

    def factors(self, lengths: Vector) -> Vector:
        n, byzantine = len(lengths), require_majority(self, len(lengths))
        factors = np.zeros(n)
        factors[np.argsort(lengths, kind="stable")[: n - byzantine]] = 1 / (n - byzantine)
        return factors
