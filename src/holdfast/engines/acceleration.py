"""Worker steps that are fused into compiled passes where that gives the same numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any

from holdfast.kernels import norms
from holdfast.methods.penalties import L1, L2, LInf
from holdfast.methods.workers import Iterates, PenalisedWorker
from holdfast.problems.linear import Minibatches
from holdfast.typing import Oracle, Rows, Vector, Worker

Step = Callable[[Any, Vector, int], tuple[Rows, Any]]
Move = Callable[[Rows, Vector, float, int], Rows]
"""Where `models - rate * (gradients + subgradients)` leads: of models, the master's model, rate and draw."""


def step_of(worker: Worker[Any], oracle: Oracle) -> Step:
    """Return `worker.step` with its oracle, or a faster function that returns the same bits."""
    # the types themselves: a subclass may do something else
    if type(worker) is PenalisedWorker and type(oracle) is Minibatches and type(worker.penalty) in FUSED:
        return partial(_step, worker, partial(FUSED[type(worker.penalty)], worker.penalty, oracle))
    return lambda state, model, round: worker.step(state, model, oracle, round)


def _step(worker: PenalisedWorker, move: Move, state: Iterates, model: Vector, round: int) -> tuple[Rows, Iterates]:
    moved = state.model
    for draw in worker.draws(round):
        moved = move(moved, model, worker.rate(round), draw)
    return worker.message(state.model, moved), Iterates(moved)


def _while_the_gradient_is_warm(
    penalty: L1, oracle: Minibatches, models: Rows, master: Vector, rate: float, draw: int
) -> Rows:
    return oracle.l1_step(models, master, rate, penalty.weight, draw)


def _after_all_gradients(
    penalty: L2 | LInf, oracle: Minibatches, models: Rows, master: Vector, rate: float, draw: int
) -> Rows:
    return norms.steps(penalty.p, penalty.weight, models, master, oracle(models, draw), rate)


FUSED: dict[type, Callable[..., Rows]] = {
    L1: _while_the_gradient_is_warm,
    L2: _after_all_gradients,
    LInf: _after_all_gradients,
}
