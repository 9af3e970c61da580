from dataclasses import dataclass
from typing import cast

import numpy as np

from holdfast.aggregators.options import require_positive, require_whole
from holdfast.errors import InvalidInput
from holdfast.stages.base import RememberingStage
from holdfast.typing import Received, Rows, Vector
from holdfast.watching import Judge, Opinion


@dataclass(frozen=True)
class Watch(RememberingStage[Opinion]):
    """The rows of copies, and of a minority that stands against the rest, become the mean of the other rows.

    Judged by the sides that rows take over many rounds, as watchful RSA does (docs/watchful.md). Of more than two
    copies one stays, that of the least number. The number of rows stays what it is, so that a rule behind it needs
    no other count. A row that is not finite becomes the mean as well, as soon as anybody is judged. It claims no
    bound: until somebody is judged, and whatever it does within the limits of `near` and `ratio`, its rows pass as
    they are.

    >>> rows = np.array([[1.0], [2.0]])
    >>> Watch()(rows)  # one round is too few to judge by
    array([[1.],
           [2.]])
    """

    every: int = Judge.every
    near: float = Judge.near
    ratio: float = Judge.ratio

    def __post_init__(self) -> None:
        require_whole(self, "every", least=1)
        require_positive(self, "near")
        require_positive(self, "ratio")
        if self.near >= 1 or self.ratio <= 1:
            raise InvalidInput(f"Watch needs near < 1 < ratio; got near={self.near:g}, ratio={self.ratio:g}")

    def init(self, model: Vector) -> Opinion:
        return Opinion.none()

    def remember(self, state: Opinion, received: Received) -> tuple[Received, Opinion]:
        rows, workers = cast(Rows, received.rows), received.workers
        judge = Judge(self.every, near=self.near, ratio=self.ratio)
        state = judge(state, rows, np.zeros(rows.shape[1], rows.dtype), workers, received.round)
        stays = state.heard(workers)
        if stays.all():
            return received, state
        stays &= np.isfinite(rows).all(axis=1)
        if not stays.any():
            return received, state
        changed = np.where(stays[:, np.newaxis], rows, rows[stays].mean(axis=0, dtype=rows.dtype))
        return received._replace(rows=changed), state
