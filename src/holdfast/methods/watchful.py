"""RSA whose master also judges: bounded influence, and less of it for copies and for a minority against the rest."""

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from holdfast.methods.method import Setting
from holdfast.methods.program import Program
from holdfast.methods.rsa import Rsa
from holdfast.typing import Messages, Rows, Sides, Vector
from holdfast.watching import Every, Judge, Near, Opinion, Ratio


@dataclass(frozen=True)
class WeighJudged:
    """Let each message, of numbers or of bits, count as much as the judge's opinion of its worker says."""

    rotation_equivariant: ClassVar[bool] = False  # sides are those of coordinates
    judge: Judge

    def init(self, model: Vector) -> Opinion:
        return Opinion.none()

    def step(self, state: Opinion, messages: Messages) -> tuple[Messages, Opinion]:
        rows, workers = cast(Rows | Sides, messages.rows), messages.workers
        opinion = self.judge(state, rows, messages.model, workers, messages.round)
        judged = opinion.weights[workers - 1]
        return messages._replace(weights=judged if messages.weights is None else judged * messages.weights), opinion


@dataclass(frozen=True)
class WatchfulRsa(Rsa):
    """RSA whose master watches on what share of the coordinates workers take different sides (docs/watchful.md).

    Workers that differ on less than `near` times the usual share are copies, and count for two at most together.
    A minority is left out while each of its workers differs from those that stay at least `ratio` times as much as any
    of those that stay does, and on an eighth of the coordinates more. Workers are judged anew `every` so many rounds,
    from full models and from bits alike.
    """

    every: Every = Judge.every
    near: Near = Judge.near
    ratio: Ratio = Judge.ratio

    def program(self, setting: Setting) -> Program:
        first = 1 if self.resolve().ties == "coin" else 0
        judge = Judge(self.every, near=self.near, ratio=self.ratio, first=first)
        program = super().program(setting)
        return replace(program, reading=(*program.reading, WeighJudged(judge)))
