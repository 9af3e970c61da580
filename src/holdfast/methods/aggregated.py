"""Distributed SGD whose master aggregates the gradients by a rule (eq. aggsgd)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from holdfast.aggregators import REGISTRY as RULES
from holdfast.aggregators import Mean, Weighing
from holdfast.errors import InvalidInput
from holdfast.methods.method import Method, Setting
from holdfast.methods.priors import Ridge
from holdfast.methods.program import Program
from holdfast.methods.schedules import Constant
from holdfast.methods.sums import Total, Weigh
from holdfast.methods.workers import GradientWorker
from holdfast.stages import REGISTRY as STAGES
from holdfast.typing import Messages, Rows, Vector

MOMENTUM = 0.9
"""Rules on gradients are not judged without momentum, which shrinks the noise that attacks hide in."""


@dataclass(frozen=True)
class Aggregated(Method):
    """Workers send gradients; stages, from left to right, then a rule make one vector of them (eq. aggsgd)."""

    rule: Callable[[Rows], Vector]
    stages: tuple[Callable[[Messages], Messages], ...] = ()

    default_momentum: ClassVar[float] = MOMENTUM
    weighs = True

    @property
    def parts(self) -> tuple[object, ...]:
        return (self.rule, *self.stages)

    def program(self, setting: Setting) -> Program:
        if setting.weights:
            self._check_weighs()
        return Program(
            GradientWorker(),
            self.rule,
            setting.rate,
            setting.prior,
            reading=(Weigh(setting.weights), *self.stages) if setting.weights else self.stages,
            serving=(Total(setting.weights),),
            declared=setting.declared,
        )

    def _check_weighs(self) -> None:
        """Raise unless the weights of workers pass through the stages, and the rule takes them."""
        if not isinstance(self.rule, Weighing):
            known = ", ".join(name for name, rule in RULES.items() if issubclass(rule, Weighing))
            raise InvalidInput(f"weights of workers are for rsa and the rules {known}; got {self.rule}")
        mixing = [stage for stage in self.stages if not getattr(stage, "keeps_workers", False)]
        if mixing:
            known = ", ".join(name for name, stage in STAGES.items() if stage.keeps_workers)
            raise InvalidInput(f"weights of workers pass through the stages {known}; got {mixing[0]}")

    def on_rows(self, declared: int) -> Program:
        """Return the program whose direction is the aggregated vector itself: for rows that are no run's gradients."""
        return replace(self.program(Setting(Constant(1.0), Ridge(0.0), declared)), serving=())


@dataclass(frozen=True)
class IdealSgd(Method):
    """SGD among honest workers only (eq. update:x): an oracle."""

    attacked: ClassVar[bool] = False
    default_momentum: ClassVar[float] = MOMENTUM
    weighs = True

    def program(self, setting: Setting) -> Program:
        return Aggregated(Mean()).program(setting)
