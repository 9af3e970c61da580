"""The loop that all methods and all engines share."""

from collections.abc import Iterable, Iterator

from holdfast.typing import Fleet, M, Master


def train(master: Master[M], fleet: Fleet, state: M, rounds: Iterable[int]) -> Iterator[M]:
    """Yield the master's state after each of these rounds, starting from `state`."""
    for round in rounds:
        state = master.step(state, fleet.exchange(state.model, round), round)
        yield state
