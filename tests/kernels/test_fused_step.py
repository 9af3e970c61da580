"""The fused worker step: the bits of `PenalisedWorker.step`, without its arrays in between."""

from collections.abc import Callable

import numpy as np
import pytest
from holdfast.engines.acceleration import step_of
from twins import assert_same, hostile, ordinary

from holdfast import problems
from holdfast.engines import Simulated
from holdfast.methods.penalties import L1, L2, LInf, Lp, Penalty
from holdfast.methods.schedules import Constant, InverseSqrt
from holdfast.methods.workers import GradientWorker, Iterates, PenalisedWorker, Reply
from holdfast.problems import LinearProblem
from holdfast.typing import Rows

ProblemMaker = Callable[..., LinearProblem]
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_reply = pytest.mark.parametrize("reply", ["current", "updated"])
every_penalty = pytest.mark.parametrize("penalty", [L1(0.07), L2(1.2), LInf(4.0)], ids=str)


@every_type
@every_reply
@every_penalty
@pytest.mark.parametrize("kind", problems.REGISTRY)
def test_rounds_are_the_same_to_the_bit(
    small_problem: ProblemMaker, kind: str, dtype: type, reply: Reply, penalty: Penalty
) -> None:
    """From a common start, where all are tied with the master, and on."""
    problem = small_problem(kind, dtype, width=13)
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, InverseSqrt(0.3), reply)
    oracle, model = problem.oracle(workers), problem.start()
    fleet = Simulated(rule, oracle, model, workers)
    state = rule.init(np.tile(model, (len(workers), 1)))
    for round in range(6):
        expected, state = rule.step(state, model, oracle, round)
        assert_same(fleet.exchange(model, round), expected, round)
        assert_same(fleet.state.model, state.model, round)
        assert_same(fleet.iterates(model), state.model, round)
        model = model - dtype(0.1) * expected.mean(axis=0)
    assert np.abs(state.model).max() > 0.01


@every_type
@every_reply
@every_penalty
def test_models_that_hold_anything(small_problem: ProblemMaker, dtype: type, reply: Reply, penalty: Penalty) -> None:
    problem = small_problem("softmax", dtype, width=13)
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, Constant(0.3), reply)
    oracle = problem.oracle(workers)
    state = rule.init(ordinary(len(workers), problem.dimension, dtype))
    state.model[0], state.model[3, :5] = hostile(1, problem.dimension, dtype)[0], np.inf
    master = hostile(1, problem.dimension, dtype, seed=1)[0]
    with np.errstate(all="ignore"):
        expected = rule.step(state, master, oracle, 4)
    rows, after = step_of(rule, oracle)(state, master, 4)
    assert_same(rows, expected[0])
    assert_same(after.model, expected[1].model)


@every_penalty
def test_nothing_given_is_changed(small_problem: ProblemMaker, penalty: Penalty) -> None:
    problem = small_problem("softmax")
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, Constant(0.3))
    state, master = rule.init(ordinary(len(workers), problem.dimension, np.float64)), problem.start()
    before = state.model.copy()
    rows, after = step_of(rule, problem.oracle(workers))(state, master, 0)
    assert_same(state.model, before)
    assert rows is state.model
    assert not np.shares_memory(after.model, state.model)
    assert not master.any()


class Passed(Exception):
    """Someone took the plain way."""


class MyL2(L2):
    """Someone's own, which may do something else."""


@pytest.mark.parametrize(
    ("penalty", "plain"),
    [
        (L1(0.1), False),
        (L2(0.1), False),
        (LInf(0.1), False),
        (Lp(1.0, 0.1), True),
        (Lp(2.0, 0.1), True),
        (MyL2(1), True),
    ],
    ids=str,
)
def test_only_what_gives_the_same_bits_is_fused(
    small_problem: ProblemMaker, monkeypatch: pytest.MonkeyPatch, penalty: Penalty, plain: bool
) -> None:
    problem = small_problem("softmax")
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, Constant(0.3))
    state = rule.init(ordinary(len(workers), problem.dimension, np.float64))

    def passed(*_: object) -> None:
        raise Passed

    def other_oracle(models: Rows, round: int, /) -> Rows:
        return models

    monkeypatch.setattr(PenalisedWorker, "step", passed)
    if plain:
        with pytest.raises(Passed):
            step_of(rule, problem.oracle(workers))(state, problem.start(), 0)
    else:
        step_of(rule, problem.oracle(workers))(state, problem.start(), 0)
    with pytest.raises(Passed):
        step_of(rule, other_oracle)(state, problem.start(), 0)


def test_workers_that_send_gradients_are_left_alone(small_problem: ProblemMaker) -> None:
    problem = small_problem("softmax")
    workers, rule, model = problem.shards.workers, GradientWorker(), problem.start() + 0.01
    rows, _ = step_of(rule, problem.oracle(workers))(rule.init(np.tile(model, (len(workers), 1))), model, 3)
    assert_same(rows, problem.oracle(workers)(model, 3))
    assert isinstance(PenalisedWorker(L1(0.1), Constant(0.1)).init(rows), Iterates)
