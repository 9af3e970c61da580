from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from holdfast import kernels
from holdfast.aggregators.options import require_majority, require_whole
from holdfast.stages.base import Stage
from holdfast.stages.clipping import shortened
from holdfast.typing import Messages, Rows


@dataclass(frozen=True)
class Arc(Stage):
    """The k longest rows are shortened to the length of the next, k = floor(2 byzantine (n - byzantine) / n).

    Allouah et al. (2025), adaptive robust clipping: with |x|_(1) >= ... >= |x|_(n) the lengths of the rows,

        x_i min(1, |x|_(k + 1) / |x_i|).

    A row with NaN or an infinity, or so long that its square overflows, is infinitely long; clipped, it is 0, since it
    has no direction. While at most `byzantine` of n > 2 byzantine rows lie, no row is longer than the longest honest
    one afterwards (k >= byzantine), and every honest row lies between itself and 0. `byzantine=None`: the run tells.

    >>> Arc(byzantine=1)(np.array([[1.0], [-2.0], [3.0], [99.0]]))  # k = floor(1.5) = 1
    array([[ 1.], [-2.], [ 3.], [ 3.]])
    """

    cites: ClassVar[tuple[str, ...]] = ("allouah2025adaptive",)
    rotation_equivariant: ClassVar[bool] = True
    byzantine: int | None = None

    def __post_init__(self) -> None:
        require_whole(self, "byzantine", optional=True)

    def change(self, messages: Messages) -> Messages:
        rows = cast(Rows, messages.rows)
        n, byzantine = len(rows), require_majority(self, len(rows))
        clipped = 2 * byzantine * (n - byzantine) // n
        lengths = kernels.lengths(rows)
        return messages._replace(rows=shortened(rows, lengths, float(np.sort(lengths)[n - 1 - clipped])))
