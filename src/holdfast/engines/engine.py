"""An engine plays the rounds of a run, wherever its workers compute."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.engines.adversary import Adversary
from holdfast.methods import Program, Served
from holdfast.typing import Messages, State, Tally, Vector, Workers

FAULTS = 100
"""How many of the latest faults are remembered."""


class Spread(NamedTuple):
    """Squared distances of the honest workers' models from their mean and from the master's, one per worker."""

    from_mean: NDArray[np.float64]
    from_master: NDArray[np.float64]


class Traffic(NamedTuple):
    """Bytes of frames per worker and round, on average over a run."""

    up: float
    down: float


class Exchanges(Protocol):
    """An object that plays rounds."""

    def exchange(self, state: Served, round: int) -> Messages:
        """Play a round of a master in this state and return the messages that arrive, valid until the next round."""


class Engine(Exchanges, Protocol):
    """All workers of a run and their states."""

    adversary: Adversary
    """The Byzantine workers and their memory."""
    workers: Workers
    """The numbers of all workers that take part, in order."""
    honest: Workers
    """The numbers of the honest workers."""
    voters: int
    """The number of workers that a round asks."""
    absent: int
    """How many answers, so far, were late or unusable."""
    state: State
    """The states of all workers that compute, one row per worker; idle Byzantine workers have none."""

    @property
    def faults(self) -> Sequence[str]:
        """The latest unusable answers and losses, one line each."""

    def attend(self, stopping: Callable[[], bool], say: Callable[[str], object]) -> None:
        """Stop waiting when `stopping` says so, and `say` what the engine waits for."""

    def start(self) -> None:
        """Get ready, unless the engine is ready already."""

    def select_workers(self, round: int) -> Workers:
        """Return the numbers of the workers that a round asks."""

    def spread(self, model: Vector) -> Spread:
        """Return how far apart the honest workers' models are while the master holds `model`."""

    def close(self) -> None:
        """End everything that the engine started."""


def train(program: Program, engine: Exchanges, state: Served, rounds: Iterable[int]) -> Iterator[Served]:
    """Yield the master's state after each of these rounds, starting from `state`."""
    for round in rounds:
        state = program.step(state, engine.exchange(state, round))
        yield state


class Recorder:
    """Passes rounds on to an engine and keeps the messages of the last round, valid until the next."""

    last: Messages | None = None
    """None before the first round, and after a tally arrived in place of rows."""

    def __init__(self, engine: Exchanges) -> None:
        self.engine = engine

    def exchange(self, state: Served, round: int) -> Messages:
        messages = self.engine.exchange(state, round)
        self.last = None if isinstance(messages.rows, Tally) else messages
        return messages
