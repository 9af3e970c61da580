"""Clipping of long rows, to a fixed radius or to the length of another row."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast import kernels
from holdfast.aggregators.requirements import Declared, require_majority, require_positive
from holdfast.stages.stage import Stage
from holdfast.typing import Messages, Rows, Vector


@dataclass(frozen=True)
class Clipping(Stage):
    """Each row is shortened to at most `radius`: x_i min(1, radius / |x_i|).

    A row with NaN or an infinity, or so long that its square overflows, becomes 0: it has no direction. No row is
    longer than `radius` afterwards, and every honest row lies between itself and 0. `radius` is on the scale of the
    messages, so it has to be set anew for every problem.

    >>> Clipping(radius=5.0)(np.array([[3.0, 4.0], [6.0, 8.0], [np.inf, 0.0]]))
    array([[3., 4.],
           [3., 4.],
           [0., 0.]])
    """

    shortens: ClassVar[bool] = True
    rotation_equivariant: ClassVar[bool] = True
    radius: float = 100.0

    def __post_init__(self) -> None:
        require_positive(self, "radius")

    def change(self, messages: Messages) -> Messages:
        rows = messages.numbers
        return messages._replace(rows=shorten(rows, kernels.lengths(rows), self.radius))


def shorten(rows: Rows, lengths: Vector, limit: float) -> Rows:
    """Return the rows, those longer than the limit made that long; infinitely long ones are 0."""
    out, number = np.empty(rows.shape, rows.dtype), rows.dtype.type
    for i, length in enumerate(lengths):
        factor = min(1.0, limit / length) if length > 0 else 1.0
        if not np.isfinite(length):
            out[i] = 0
        elif factor < np.finfo(rows.dtype).tiny:  # too small for the rows' own type
            out[i] = rows[i].astype(np.float64) * factor
        else:
            np.multiply(rows[i], number(factor), out=out[i])
    return out


@dataclass(frozen=True)
class Arc(Declared, Stage):
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

    def change(self, messages: Messages) -> Messages:
        rows = messages.numbers
        n, byzantine = len(rows), require_majority(self, len(rows))
        clipped = 2 * byzantine * (n - byzantine) // n
        lengths = kernels.lengths(rows)
        return messages._replace(rows=shorten(rows, lengths, float(np.sort(lengths)[n - 1 - clipped])))
