"""What a master does with the messages: read a direction from them and descend."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.aggregators import REGISTRY as RULES
from holdfast.aggregators import CoordinateWise, Remembering, Weighing
from holdfast.errors import InvalidInput
from holdfast.methods.penalties import L1, Penalty
from holdfast.methods.priors import Ridge
from holdfast.stages import RememberingStage
from holdfast.typing import Nothing, Received, Rows, Schedule, Tally, Vector, Workers


class Direction(Protocol):
    """Where the messages want the master to come from; what it remembers goes in and comes out."""

    @property
    def turns(self) -> bool:
        """Whether it sees lengths and angles only, of messages about the neutral one, and remembers nothing."""

    def init(self, model: Vector) -> Any:
        """Return the memory before the first round."""

    def __call__(self, model: Vector, received: Received, memory: Any) -> tuple[Vector, Any]:
        """Return the direction at `model`, and the memory after the round."""


def of(weights: tuple[float, ...], workers: Workers) -> NDArray[np.float64]:
    """Return the weights of these workers."""
    found: NDArray[np.float64] = np.array(weights)[workers - 1]
    return found


class Memoryless:
    """A direction that remembers nothing."""

    @property
    def turns(self) -> bool:
        return False

    def init(self, model: Vector) -> Nothing:
        return Nothing()


@dataclass(frozen=True)
class PenaltySum(Memoryless):
    """Read messages as models and sum the penalty's pull of each: sum_i lambda d|x0 - x_i|_p (eq. update2:x:0).

    With `weights`, one per worker number, worker i pulls with w_i lambda.
    """

    penalty: Penalty
    weights: tuple[float, ...] = ()

    @property
    def turns(self) -> bool:
        return self.penalty.p == 2

    def __call__(self, model: Vector, received: Received, memory: Nothing) -> tuple[Vector, Nothing]:
        rows = cast(Rows, received.rows)
        weights = of(self.weights, received.workers) if self.weights else None
        return self.penalty.pull(model, rows, weights), memory


@dataclass(frozen=True)
class TallySum(Memoryless):
    """Read a count of bits: sum_i lambda sign(x0 - x_i) (eq. update:x:0), where nobody is tied."""

    penalty: L1

    def __call__(self, model: Vector, received: Received, memory: Nothing) -> tuple[Vector, Nothing]:
        return self.penalty.weight * cast(Tally, received.rows).signs(model.dtype), memory


class Staged(NamedTuple):
    """What a stage remembers, and what is remembered behind it."""

    stage: Any
    rest: Any


@dataclass(frozen=True)
class AggregateSum:
    """Read messages as gradients and estimate the sum of all n as n times what `rule` makes of them.

    Eq. aggsgd leaves the scale of its aggregated gradient to the step size. Ours estimates the sum in
    eq. update:x, so that plain averaging is exactly distributed SGD, the regulariser weighs the same in
    every method, and rates compare across them. Stages come first, from left to right. With `weights`, one per worker
    number, it estimates the weighted sum.
    """

    rule: Callable[[Rows], Vector]
    stages: tuple[Callable[[Received], Received], ...] = ()
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.weights and (self.stages or not isinstance(self.rule, Weighing)):
            known = ", ".join(name for name, rule in RULES.items() if issubclass(rule, Weighing))
            raise InvalidInput(f"weights of workers are for {known}, without stages, and for rsa; got {self.rule}")

    @property
    def turns(self) -> bool:
        return self._stages_turn and getattr(self.rule, "turns", False)

    @property
    def columnwise(self) -> bool:
        """Whether it looks at one coordinate at a time, once messages are mixed by lengths and angles."""
        return self._stages_turn and isinstance(self.rule, CoordinateWise) and not self.weights

    @property
    def _stages_turn(self) -> bool:
        return all(getattr(stage, "turns", False) for stage in self.stages)

    def init(self, model: Vector) -> Any:
        memory: Any = self.rule.init(model) if isinstance(self.rule, Remembering) else Nothing()
        for stage in reversed(self.stages):
            if isinstance(stage, RememberingStage):
                memory = Staged(stage.init(model), memory)
        return memory

    def __call__(self, model: Vector, received: Received, memory: Any) -> tuple[Vector, Any]:
        vector, memory = self.aggregate(model, received, memory)
        return self._number(received.workers) * vector, memory

    def aggregate(self, model: Vector, received: Received, memory: Any) -> tuple[Vector, Any]:
        """Return what stages and rule make of the messages, not yet times their number, and the memory after it."""
        kept: list[Any] = []
        for stage in self.stages:
            if isinstance(stage, RememberingStage):
                received, after = stage.remember(memory.stage, received)
                kept.append(after)
                memory = memory.rest
            else:
                received = stage(received)
        vector, memory = self._ruled(model, received, memory)
        for after in reversed(kept):
            memory = Staged(after, memory)
        return vector, memory

    def in_columns(self, received: Received, first: int) -> Vector:
        """Return the direction in the columns from `first` on, if `columnwise`; those before go to the stages only."""
        number = self._number(received.workers)
        for stage in self.stages:
            received = stage(received)
        return number * self.rule(cast(Rows, received.rows)[:, first:])

    def _number(self, workers: Workers) -> float:
        """Return how many workers these are, or what they weigh."""
        return float(of(self.weights, workers).sum()) if self.weights else len(workers)

    def _ruled(self, model: Vector, received: Received, memory: Any) -> tuple[Vector, Any]:
        if self.weights:
            weights = of(self.weights, received.workers)
            vector = cast(Weighing, self.rule).weigh(cast(Rows, received.rows), weights)
        elif isinstance(self.rule, Remembering):
            vector, memory = self.rule.step(memory, received)
        else:
            vector = self.rule(cast(Rows, received.rows))
        if np.shape(vector) != model.shape:
            raise InvalidInput(f"{self.rule} must return a vector of shape {model.shape}; got {np.shape(vector)}")
        return np.asarray(vector, model.dtype), memory


class Iterate(NamedTuple):
    """The master's model x0, and what its direction remembers."""

    model: Vector
    memory: Any = Nothing()


@dataclass(frozen=True)
class Descent:
    """x0 <- x0 - alpha (grad f0(x0) + direction): eqs. update:x, update2:x:0 and aggsgd."""

    direction: Direction
    rate: Schedule
    prior: Ridge

    def init(self, model: Vector) -> Iterate:
        return Iterate(model, self.direction.init(model))

    def foresee(self, state: Iterate, received: Received) -> Vector:
        """Return the direction that these messages would give, and change nothing: what attackers may ask."""
        return self.direction(state.model, received, state.memory)[0]

    @property
    def turns(self) -> bool:
        """Whether `foresee_turned` can be asked."""
        return self.direction.turns

    def foresee_turned(self, received: Received) -> Vector:
        """Return the direction for messages about the neutral one, both by coordinates in any orthonormal basis."""
        neutral = np.zeros_like(cast(Rows, received.rows)[0])
        return self.direction(neutral, received, self.direction.init(neutral))[0]

    @property
    def columnwise(self) -> bool:
        """Whether `foresee_columns` can be asked."""
        return isinstance(self.direction, AggregateSum) and self.direction.columnwise

    def foresee_columns(self, received: Received, first: int) -> Vector:
        """Return the direction in the columns from `first` on; those before tell the messages' lengths and angles."""
        return cast(AggregateSum, self.direction).in_columns(received, first)

    def step(self, state: Iterate, received: Received) -> Iterate:
        x = state.model
        # a message may hold anything: overflow shows as an infinite model, which whoever trains looks for
        with np.errstate(over="ignore", invalid="ignore"):
            direction, memory = self.direction(x, received, state.memory)
            moved = x - float(self.rate(received.round)) * (self.prior.gradient(x) + direction)
        return Iterate(moved, memory)
