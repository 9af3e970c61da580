"""What a method is: a frozen dataclass that makes one program, for all workers or for the honest ones."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

from holdfast.methods.penalties import Penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.program import Program
from holdfast.typing import Schedule

AUTO: Literal["auto"] = "auto"
"""Stands for a number that is inferred from the data before the first round."""


class Setting(NamedTuple):
    """What a run tells its method, whatever the method's own options are."""

    rate: Schedule
    prior: Ridge
    declared: int = 0
    """The declared number of Byzantine workers, true or not."""
    table: int = 0
    """The size of a worker's table of the last derivatives at its samples (SAGA)."""
    weights: tuple[float, ...] = ()
    """How much each worker counts at the master, by number, on average 1; none if all count the same."""


class Method(ABC):
    """A frozen dataclass whose fields are the method's options. Every engine plays the same program."""

    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""
    participants: ClassVar[Literal["everyone", "honest"]] = "everyone"
    attacked: ClassVar[bool] = True
    """Whether Byzantine workers attack; False for the oracles of the paper, in which all workers are honest."""
    penalised: ClassVar[bool] = False
    """Whether workers keep models of their own under a penalty and send those; else they send gradients."""
    default_momentum: ClassVar[float] = 0.0
    """The momentum of honest workers where a spec gives none."""
    weighs: ClassVar[bool] = False
    """Whether the method uses the weights of its setting."""
    penalty: float | Literal["auto"] | None = None
    """lambda, or `auto` until it is inferred from the data; None for a method without a penalty."""
    norm: float | Penalty = 1.0
    """The norm of the penalty, by which workers report before a run."""
    local_steps: int = 1
    """Steps of a worker per round."""

    def resolve(self) -> Self:
        """Return the method with every option that depends on others filled in."""
        return self

    def with_penalty(self, weight: float) -> "Method":
        """Return the method with this lambda if its own is `auto`, else the method as it is.

        >>> from holdfast.methods import Rsa
        >>> Rsa().with_penalty(0.5).penalty, Rsa(penalty=2.0).with_penalty(0.5).penalty
        (0.5, 2.0)
        """
        return cast(Method, replace(cast(Any, self), penalty=weight)) if self.penalty == AUTO else self

    @property
    def parts(self) -> tuple[object, ...]:
        """Everything in the method that may come from outside."""
        return (self,)

    @abstractmethod
    def program(self, setting: Setting) -> Program:
        """Return what happens to a message, from the workers' local rule to the master's step."""
