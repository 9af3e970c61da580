from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from holdfast import kernels
from holdfast.aggregators.options import require_positive
from holdfast.stages.base import Stage
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
        rows = cast(Rows, messages.rows)
        return messages._replace(rows=shortened(rows, kernels.lengths(rows), self.radius))


def shortened(rows: Rows, lengths: Vector, limit: float) -> Rows:
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
