"""Local rules: what honest workers do with the master's model, one row each."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from holdfast.methods.penalties import Penalty
from holdfast.typing import Nothing, Oracle, Request, Rows, Schedule, Vector, Worker

Reply = Literal["current", "updated"]


class Iterates(NamedTuple):
    """The workers' own models x_i."""

    model: Rows


@dataclass(frozen=True)
class PenalisedWorker:
    """An honest worker of RSA (Algorithm 2; eqs. update:x:i and update2:x:i).

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

    def step(self, state: Iterates, request: Request, oracle: Oracle) -> tuple[Rows, Iterates]:
        moved, alpha = state.model, float(self.rate(request.round))
        for draw in self.draws(request.round):
            moved = self.penalty.descend(moved, request.model, alpha, oracle, draw)
        return (state.model if self.reply == "current" else moved), Iterates(moved)

    def draws(self, round: int) -> range:
        """Return by which numbers the minibatches of a round are drawn: its own, if there is one step in it."""
        return range(round * self.steps, (round + 1) * self.steps)

    def iterates(self, state: Iterates, model: Vector) -> Rows:
        return state.model

    def neutral(self, model: Vector) -> Vector:
        return model


@dataclass(frozen=True)
class GradientWorker:
    """An honest worker of distributed SGD (Algorithm 1): it answers with a gradient at the master's model."""

    def init(self, models: Rows) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, request: Request, oracle: Oracle) -> tuple[Rows, Nothing]:
        return oracle(request.model, request.round), state

    def iterates(self, state: Nothing, model: Vector) -> Rows:
        return model

    def neutral(self, model: Vector) -> Vector:
        return np.zeros_like(model)


class Around:
    """Workers that follow another rule with other gradients; the state of that rule is `inner` in theirs."""

    worker: Worker[Any]

    def iterates(self, state: Any, model: Vector) -> Rows:
        return self.worker.iterates(state.inner, model)

    def neutral(self, model: Vector) -> Vector:
        return self.worker.neutral(model)


class Averaged(NamedTuple):
    """The state of workers with momentum: that of the rule they follow, and their averaged gradients."""

    inner: Any
    average: Rows


@dataclass(frozen=True)
class WithMomentum(Around):
    """Workers that follow a rule with averaged gradients in place of fresh ones.

        v <- momentum v + (1 - momentum) grad F(x, xi),    v = 0 before the first

    Karimireddy et al. (2021): the exponential average that robust rules need against attacks over time.
    """

    worker: Worker[Any]
    momentum: float

    def init(self, models: Rows) -> Averaged:
        return Averaged(self.worker.init(models), np.zeros_like(models))

    def step(self, state: Averaged, request: Request, oracle: Oracle) -> tuple[Rows, Averaged]:
        average = state.average

        def average_gradients(models: Rows, draw: int, /) -> Rows:
            nonlocal average
            average = self.momentum * average + (1 - self.momentum) * oracle(models, draw)
            return average

        messages, inner = self.worker.step(state.inner, request, average_gradients)
        return messages, Averaged(inner, average)
