"""Attacks over time: honest for a while, in turns, or late."""

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.attacks.contrarians import Contrarian
from holdfast.attacks.corruptions import SignFlip
from holdfast.attacks.mean_shifts import NegativeSum
from holdfast.attacks.threats import Attack, ColludingAttack, FullView, LocalAttack, LocalView, WithMemory
from holdfast.typing import Rows, Vector, Workers

Lie = Literal["contrarian", "negative-sum", "sign-flip"]
LIES: dict[Lie, Attack] = {"contrarian": Contrarian(), "negative-sum": NegativeSum(), "sign-flip": SignFlip()}


@dataclass(frozen=True)
class Sleeper(ColludingAttack):
    """Be honest for some `rounds`, then lie: a worker trusted for its past does most harm late.

    The default is half of an arena's run. Against masters with memory, by this package.

    >>> from dataclasses import replace
    >>> view = FullView.of([[1.0], [2.0]])
    >>> Sleeper(rounds=3)(view).tolist(), Sleeper(rounds=3)(replace(view, round=3)).tolist()
    ([[0.0]], [[-2.0]])
    """

    rounds: Annotated[int, Meta(ge=0)] = 250
    lie: Lie = "contrarian"
    uses_own = True

    def __call__(self, view: FullView, /) -> Rows:
        return view.own if view.round < self.rounds else LIES[self.lie](view)


@dataclass(frozen=True)
class Rotating(ColludingAttack):
    """Take turns in lying: one of `groups` lies for some `rounds` while the others are honest, then the next one.

    Worker i belongs to group i modulo `groups`. A group stops before a master with memory excludes it. Against such
    masters, by this package.

    >>> Rotating(groups=2)(FullView.of([[1.0], [2.0]], byzantine=2)).tolist()  # workers 3 and 4
    [[0.0], [-2.0]]
    """

    rounds: Annotated[int, Meta(ge=1)] = 20
    groups: Annotated[int, Meta(ge=2)] = 2
    lie: Lie = "contrarian"
    uses_own = True

    def __call__(self, view: FullView, /) -> Rows:
        turn = view.workers % self.groups == view.round // self.rounds % self.groups
        return np.where(turn[:, np.newaxis], LIES[self.lie](view), view.own)


class Held(NamedTuple):
    """The messages that were not sent yet."""

    workers: NDArray[np.int64]
    answers: NDArray[np.int64]
    """How often each worker was asked."""
    messages: Rows
    """The latest messages, `(rounds, workers, d)`: answer k at k modulo `rounds`."""


@dataclass(frozen=True)
class Delayed(WithMemory[Held], LocalAttack):
    """Send the honest message of `rounds` answers before, and neutral ones until there is one: stale replies.

    Each worker counts its own answers: the rounds in which it is asked.

    >>> Delayed()(LocalView(np.ones((1, 2)), np.zeros(2), np.array([3]), 0, 0))
    array([[0., 0.]])
    """

    rounds: Annotated[int, Meta(ge=1)] = 10

    def init(self, neutral: Vector, byzantine: Workers) -> Held:
        held = np.empty((self.rounds, len(byzantine), len(neutral)), neutral.dtype)
        held[:] = neutral
        return Held(np.array(byzantine), np.zeros(len(byzantine), np.int64), held)

    def step(self, state: Held, view: LocalView) -> tuple[Rows, Held]:
        at = np.searchsorted(state.workers, view.workers)
        slots = state.answers[at] % self.rounds
        due = (state.answers[at] >= self.rounds)[:, np.newaxis]
        sent = np.where(due, state.messages[slots, at], view.neutral).astype(view.own.dtype)
        answers, messages = state.answers.copy(), state.messages.copy()
        answers[at] += 1
        messages[slots, at] = view.own
        return sent, Held(state.workers, answers, messages)
