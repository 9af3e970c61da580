from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from holdfast.attacks.base import LocalAttack, LocalView, WithMemory
from holdfast.typing import Rows, Vector, Workers


class Held(NamedTuple):
    """What was not sent yet."""

    workers: NDArray[np.int64]
    answers: NDArray[np.int64]
    """How often each of them was asked."""
    messages: Rows
    """Their latest messages, `(rounds, workers, d)`: that of answer k at k modulo `rounds`."""


@dataclass(frozen=True)
class Delayed(WithMemory[Held], LocalAttack):
    """Send the honest message of `rounds` answers before, and neutral ones until there is one: stale replies.

    Every worker for itself: an answer is a round in which it is asked.

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
