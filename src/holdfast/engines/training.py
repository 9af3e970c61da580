"""The loop that all methods and all engines share."""

from collections.abc import Iterable, Iterator

from holdfast.engines.protocol import Exchanges
from holdfast.methods import Program, Served


def train(program: Program, engine: Exchanges, state: Served, rounds: Iterable[int]) -> Iterator[Served]:
    """Yield the master's state after each of these rounds, starting from `state`."""
    for round in rounds:
        state = program.step(state, engine.exchange(state, round))
        yield state
