"""What a method is: a frozen dataclass that makes one program, for all workers or for the honest ones."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple, Self

from holdfast.methods.priors import Ridge
from holdfast.methods.program import Program
from holdfast.typing import Schedule


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
    weighs: ClassVar[bool] = False
    """Whether the method uses the weights of its setting."""

    def resolve(self) -> Self:
        """Return the method with every option that depends on others filled in."""
        return self

    @property
    def parts(self) -> tuple[object, ...]:
        """Everything in the method that may come from outside."""
        return (self,)

    @abstractmethod
    def program(self, setting: Setting) -> Program:
        """Return what happens to a message, from the workers' local rule to the master's step."""
