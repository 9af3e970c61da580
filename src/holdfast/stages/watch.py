from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from holdfast.conversion import convert_fields
from holdfast.stages.stage import RememberingStage
from holdfast.typing import Messages, Vector
from holdfast.watching import Every, Judge, Near, Opinion, Ratio


@dataclass(frozen=True)
class Watch(RememberingStage[Opinion]):
    """The rows of copies, and of a minority that stands against the rest, become the mean of the other rows.

    Judged by the sides that rows take over many rounds, as watchful RSA does (docs/watchful.md). Of more than two
    copies one stays, that of the least number. The number of rows stays what it is, so that a rule behind it needs
    no other count. A row that is not finite becomes the mean as well, as soon as any worker is judged. It claims no
    bound: before that, and within the limits of `near` and `ratio`, a Byzantine worker's rows pass as they are.

    >>> rows = np.array([[1.0], [2.0]])
    >>> Watch()(rows)  # one round is too few to judge by
    array([[1.],
           [2.]])
    """

    keeps_workers: ClassVar[bool] = True
    every: Every = Judge.every
    near: Near = Judge.near
    ratio: Ratio = Judge.ratio
    apart: Ratio = Judge.apart

    def __post_init__(self) -> None:
        convert_fields(self)

    @cached_property
    def judge(self) -> Judge:
        """What decides which rows are replaced."""
        return Judge(self.every, near=self.near, ratio=self.ratio, apart=self.apart)

    def init(self, model: Vector) -> Opinion:
        return Opinion.none()

    def step(self, state: Opinion, messages: Messages) -> tuple[Messages, Opinion]:
        rows, workers = messages.numbers, messages.workers
        state = self.judge(state, rows, np.zeros(rows.shape[1], rows.dtype), workers, messages.round)
        stays = state.speakers(workers)
        if stays.all():
            return messages, state
        stays &= np.isfinite(rows).all(axis=1)
        if not stays.any():
            return messages, state
        changed = np.where(stays[:, np.newaxis], rows, rows[stays].mean(axis=0, dtype=rows.dtype))
        return messages._replace(rows=changed), state
