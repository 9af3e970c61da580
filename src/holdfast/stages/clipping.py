"""Clipping of long rows: to a fixed radius, to the length of another row, or to a multiple of the usual length."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.aggregators.requirements import Declared, require_majority, require_positive
from holdfast.stages.stage import RememberingStage, Stage
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
    keeps_workers: ClassVar[bool] = True
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
    keeps_workers: ClassVar[bool] = True
    rotation_equivariant: ClassVar[bool] = True

    def change(self, messages: Messages) -> Messages:
        rows = messages.numbers
        n, byzantine = len(rows), require_majority(self, len(rows))
        clipped = 2 * byzantine * (n - byzantine) // n
        lengths = kernels.lengths(rows)
        return messages._replace(rows=shorten(rows, lengths, float(np.sort(lengths)[n - 1 - clipped])))


FADING = 0.999
"""The usual length keeps at least this share per round: the short messages of learned classes must not hide others."""


NEXT_TO_NOTHING = 1e-6
"""The factor of an implausible row: its direction stays, for a stage behind that reads sides."""


class UsualLength(NamedTuple):
    """What bounding remembers: the usual length of a message, 0 before the first round."""

    length: NDArray[np.float64]


@dataclass(frozen=True)
class Bounding(RememberingStage[UsualLength]):
    """Each row is shortened to `longest` usual lengths; an implausibly long one counts less, or nothing.

    The usual length u is the median of the rows' lengths, or 0.999 times the last u if that is more:

        x_i f(|x_i| / u) min(1, longest u / |x_i|)

    f is 1 up to `plausible`, falls linearly, and is next to 0 from twice `plausible` on. A row with NaN or an infinity
    becomes 0. While fewer than half of the rows lie, u is at most the longest honest row so far, and one row pulls the
    mean by at most longest u / n.

    This is RSA in proximal form. A worker that begins at the master's model x0 and takes the step

        x_i = argmin_x  <g_i, x> + lambda |x - x0|_2 + |x - x0|^2 / (2 alpha)

    pulls the master by its gradient g_i, shortened to lambda. If lambda is at least lambda_0, as Theorem 1 asks, the
    pull of an honest worker is g_i itself. Here lambda = longest u estimates lambda_0 anew in each round, from the
    messages. docs/default.md has the measurements.

    >>> rows = np.array([[1.0], [2.0], [2.0], [-5.0], [-9.0], [99.0], [1.0]])
    >>> Bounding()(rows)[:, 0].round(3)  # u = 2, the longest is 4, f(4.5) = 1/2
    array([ 1.,  2.,  2., -4., -2.,  0.,  1.])
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)
    keeps_workers: ClassVar[bool] = True
    longest: float = 2.0
    plausible: float = 3.0

    def __post_init__(self) -> None:
        require_positive(self, "longest")
        require_positive(self, "plausible")

    def init(self, model: Vector) -> UsualLength:
        return UsualLength(np.zeros(()))

    def step(self, state: UsualLength, messages: Messages) -> tuple[Messages, UsualLength]:
        rows = messages.numbers
        lengths = kernels.lengths(rows)
        usual = max(float(np.median(lengths)), FADING * float(state.length))
        if not 0 < usual < np.inf:  # half of the rows are 0, or not finite: no length is usual
            return messages._replace(rows=np.zeros_like(rows)), state
        relative = lengths / usual
        faded = (2 - relative / self.plausible).clip(NEXT_TO_NOTHING, 1)
        factors = np.where(relative > self.longest, self.longest / relative.clip(min=self.longest), 1.0) * faded
        bounded = np.where(np.isfinite(relative)[:, np.newaxis], rows, 0) * factors[:, np.newaxis].astype(rows.dtype)
        return messages._replace(rows=bounded), UsualLength(np.array(usual))
