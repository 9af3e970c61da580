"""Distributed SGD whose master aggregates the gradients by a rule (eq. aggsgd)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from holdfast.aggregators import Mean
from holdfast.methods.base import Method, Setting
from holdfast.methods.masters import AggregateSum, Descent
from holdfast.methods.workers import GradientWorker
from holdfast.typing import Master, Received, Rows, Vector, Worker


@dataclass(frozen=True)
class Aggregated(Method):
    """Workers send gradients; stages, from left to right, then a rule make one vector of them (eq. aggsgd)."""

    rule: Callable[[Rows], Vector]
    stages: tuple[Callable[[Received], Received], ...] = ()

    weighs = True

    def worker(self, setting: Setting) -> Worker[Any]:
        return GradientWorker()

    def master(self, setting: Setting) -> Master[Any]:
        rule, *stages = (told(part, setting.declared) for part in (self.rule, *self.stages))
        return Descent(AggregateSum(rule, tuple(stages), setting.weights), setting.rate, setting.prior)


@dataclass(frozen=True)
class IdealSgd(Method):
    """SGD in which nobody lies (eq. update:x): an oracle."""

    attacked: ClassVar[bool] = False
    weighs = True

    def worker(self, setting: Setting) -> Worker[Any]:
        return GradientWorker()

    def master(self, setting: Setting) -> Master[Any]:
        return Descent(AggregateSum(Mean(), weights=setting.weights), setting.rate, setting.prior)


def told(part: Any, declared: int) -> Any:
    """Return a rule or stage that knows how many Byzantine workers are declared, unless it was given a number.

    >>> from holdfast.aggregators import Krum
    >>> told(Krum(), 8), told(Krum(byzantine=3), 8)
    (Krum(byzantine=8), Krum(byzantine=3))
    """
    field = getattr(part, "told", "byzantine")
    return replace(part, **{field: declared}) if getattr(part, field, 0) is None else part
