"""What a run needs of whatever engine plays it."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.typing import Vector, Workers


class Spread(NamedTuple):
    """How far the regular workers' models are, squared: each from their mean, and each from the master's."""

    from_mean: NDArray[np.float64]
    from_master: NDArray[np.float64]


class Engine(Protocol):
    """Everyone the master can reach, their states, and who was not heard."""

    regular: Workers
    """The numbers of the workers that tell the truth."""
    voters: int
    """How many are asked in a round."""
    absent: int
    """How often, so far, a worker was asked and did not answer in time."""
    state: Any
    """The states of all who work, a row each: of everybody but idle liars."""

    def start(self) -> None:
        """Get ready, if that has not happened yet."""

    def exchange(self, model: Vector, round: int) -> Any:
        """Play a round and return `Messages` for the master. They are good until the next one."""

    def rehearsal(self, model: Vector) -> Any:
        """Return messages such as the first round could bring; no state changes."""

    def spread(self, model: Vector) -> Spread:
        """Return how far the regular workers are while the master holds `model`."""

    def close(self) -> None:
        """Leave nothing behind."""
