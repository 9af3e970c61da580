"""What regular workers do with the master's model, a row each."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from holdfast.methods.penalties import Penalty
from holdfast.typing import Oracle, Rows, Schedule, Vector

Reply = Literal["current", "updated"]


class Iterates(NamedTuple):
    """The workers' own models x_i."""

    model: Rows


@dataclass(frozen=True)
class PenalisedWorker:
    """A regular worker of RSA (Algorithm 2; eqs. update:x:i and update2:x:i).

        x_i <- x_i - alpha (grad F(x_i, xi_i) + lambda d|x_i - x0|_p)

    It sends x_i^k, so that master and workers both step from iterate k, as the equations say. The
    authors' program sends the updated x_i^{k+1} instead: `reply="updated"`. With several `steps` a round
    it takes them all from its own model while x0 is held, each on a minibatch of its own; the theorems of
    the paper are about one.
    """

    penalty: Penalty
    rate: Schedule
    reply: Reply = "current"
    steps: int = 1

    def init(self, models: Rows) -> Iterates:
        return Iterates(models)

    def step(self, state: Iterates, model: Vector, oracle: Oracle, round: int) -> tuple[Rows, Iterates]:
        moved = state.model
        for draw in self.draws(round):
            pull = self.penalty.subgradient(moved - model)
            moved = moved - float(self.rate(round)) * (oracle(moved, draw) + pull)
        return self.message(state.model, moved), Iterates(moved)

    def draws(self, round: int) -> range:
        """Return by which numbers the minibatches of a round are drawn: its own, if there is one step in it."""
        return range(round * self.steps, (round + 1) * self.steps)

    def message(self, current: Rows, updated: Rows) -> Rows:
        """Return which iterate the master is shown."""
        return current if self.reply == "current" else updated

    def iterates(self, state: Iterates, model: Vector) -> Rows:
        return state.model

    def neutral(self, model: Vector) -> Vector:
        return model


class Nothing(NamedTuple):
    """The state of a worker that keeps none."""


@dataclass(frozen=True)
class GradientWorker:
    """A regular worker of distributed SGD (Algorithm 1): it answers with a gradient at the master's model."""

    def init(self, models: Rows) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, model: Vector, oracle: Oracle, round: int) -> tuple[Rows, Nothing]:
        return oracle(model, round), state

    def iterates(self, state: Nothing, model: Vector) -> Rows:
        return model

    def neutral(self, model: Vector) -> Vector:
        return np.zeros_like(model)
