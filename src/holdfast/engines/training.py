"""The loop that all methods and all engines share."""

from collections.abc import Iterable, Iterator

from holdfast.engines.protocol import Exchanges
from holdfast.typing import M, Master


def train(master: Master[M], engine: Exchanges, state: M, rounds: Iterable[int]) -> Iterator[M]:
    """Yield the master's state after each of these rounds, starting from `state`."""
    for round in rounds:
        state = master.step(state, engine.exchange(state.model, round))
        yield state
