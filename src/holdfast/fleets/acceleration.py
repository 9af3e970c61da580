"""Worker steps that are fused into one compiled pass where that gives the same numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any

from holdfast.penalties import L1
from holdfast.problems.linear import Minibatches
from holdfast.typing import Oracle, Rows, Vector, Worker
from holdfast.workers import Iterates, PenalisedWorker

Step = Callable[[Any, Vector, int], tuple[Rows, Any]]


def step_of(worker: Worker[Any], oracle: Oracle) -> Step:
    """Return `worker.step` with its oracle, or a faster function that returns the same bits."""
    # the types themselves: a subclass may do something else
    if type(worker) is PenalisedWorker and type(worker.penalty) is L1 and type(oracle) is Minibatches:
        return partial(_l1_step, worker, worker.penalty.weight, oracle)
    return lambda state, model, round: worker.step(state, model, oracle, round)


def _l1_step(
    worker: PenalisedWorker, weight: float, oracle: Minibatches, state: Iterates, model: Vector, round: int
) -> tuple[Rows, Iterates]:
    moved = state.model
    for draw in worker.draws(round):
        moved = oracle.l1_step(moved, model, worker.rate(round), weight, draw)
    return worker.message(state.model, moved), Iterates(moved)
