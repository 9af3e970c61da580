"""What a method is: two pure rules, one for the workers and one for the master, and who takes part."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, Self

from holdfast.methods.priors import Ridge
from holdfast.typing import Master, Rows, Schedule, Sides, Tally, Vector, Worker, Workers

Reading = Callable[[Vector, Rows, Workers, int], Rows | Sides | Tally]
"""What the master at `model` is given of the rows that these workers send in a round."""


def as_sent(model: Vector, rows: Rows, workers: Workers, round: int) -> Rows:
    """Give the master the messages as they are."""
    return rows


class Setting(NamedTuple):
    """What a run tells its method, whatever the method's own options are."""

    rate: Schedule
    prior: Ridge
    declared: int = 0
    """How many Byzantine workers rules are told that there are, true or not."""
    seed: int = 0
    table: int = 0
    """How many numbers a worker needs for what each of its samples said last (SAGA)."""
    weights: tuple[float, ...] = ()
    """How much each worker counts at the master, by number, on average 1; none if all count the same."""


class Method(ABC):
    """A frozen dataclass whose fields are the method's options. Every engine runs the same two rules."""

    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""
    participants: ClassVar[Literal["everyone", "honest"]] = "everyone"
    attacked: ClassVar[bool] = True
    """Whether Byzantine workers attack; False for the oracles of the paper, in which nobody does."""
    penalised: ClassVar[bool] = False
    """Whether workers keep models of their own under a penalty and send those; else they send gradients."""
    weighs: ClassVar[bool] = False
    """Whether it heeds the weights of its setting."""

    def resolved(self) -> Self:
        """Return the method with every option that depends on others filled in."""
        return self

    @abstractmethod
    def worker(self, setting: Setting) -> Worker[Any]: ...

    @abstractmethod
    def master(self, setting: Setting) -> Master[Any]: ...

    def reading(self, seed: int) -> Reading:
        """Return what the master is given of the workers' messages."""
        return as_sent
