"""The fused worker step: `penalty.descend` gives the bits of the plain formula, without arrays in between."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from twins import assert_same, hostile, ordinary

from holdfast import problems
from holdfast.engines import Simulated
from holdfast.kernels import penalty_steps
from holdfast.methods import PenaltySum, Program, Ridge, Served
from holdfast.methods.penalties import L1, L2, LInf, Lp, Penalty
from holdfast.methods.schedules import Constant, InverseSqrt
from holdfast.methods.workers import GradientWorker, Iterates, PenalisedWorker, Reply, WithMomentum
from holdfast.problems import LinearProblem
from holdfast.problems.minibatches import Minibatches
from holdfast.typing import Oracle, Request, Rows, Vector

ProblemMaker = Callable[..., LinearProblem]
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_reply = pytest.mark.parametrize("reply", ["current", "updated"])
every_penalty = pytest.mark.parametrize("penalty", [L1(0.07), L2(1.2), LInf(4.0)], ids=str)


def plain_step(
    rule: PenalisedWorker, state: Iterates, master: Vector, oracle: Oracle, round: int
) -> tuple[Rows, Iterates]:
    """Eqs. update:x:i and update2:x:i as they stand: x - alpha (grad + lambda d|x - x0|), `steps` times."""
    models = state.model
    for step in range(rule.steps):
        gradients = oracle(models, round * rule.steps + step)
        models = models - rule.rate(round) * (gradients + rule.penalty.subgradient(models - master))
    return (state.model if rule.reply == "current" else models), Iterates(models)


@every_type
@every_reply
@every_penalty
@pytest.mark.parametrize("kind", problems.REGISTRY)
@pytest.mark.parametrize("steps", [1, 3])
def test_rounds_are_the_same_to_the_bit(
    small_problem: ProblemMaker, kind: str, dtype: type, reply: Reply, penalty: Penalty, steps: int
) -> None:
    """From a common start, where all are tied with the master, and on."""
    problem = small_problem(kind, dtype, width=13)
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, InverseSqrt(0.3), reply, steps)
    oracle, model = problem.oracle(workers), problem.start()
    engine = Simulated(Program(rule, PenaltySum(penalty), rule.rate, Ridge(0.0)), oracle, model, workers)
    state = rule.init(np.tile(model, (len(workers), 1)))
    for round in range(6):
        expected, state = plain_step(rule, state, model, oracle, round)
        assert_same(np.asarray(engine.exchange(Served(model), round).rows), expected, round)
        assert_same(engine.state.model, state.model, round)
        assert_same(engine.iterates(model), state.model, round)
        model = model - dtype(0.1) * expected.mean(axis=0)
    assert np.abs(state.model).max() > 0.01


@every_type
@every_reply
@every_penalty
@pytest.mark.parametrize("steps", [1, 3])
def test_models_that_hold_anything(
    small_problem: ProblemMaker, dtype: type, reply: Reply, penalty: Penalty, steps: int
) -> None:
    problem = small_problem("softmax", dtype, width=13)
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, Constant(0.3), reply, steps)
    oracle = problem.oracle(workers)
    state = rule.init(ordinary(len(workers), problem.dimension, dtype))
    state.model[0], state.model[3, :5] = hostile(1, problem.dimension, dtype)[0], np.inf
    master = hostile(1, problem.dimension, dtype, seed=1)[0]
    with np.errstate(all="ignore"):
        expected = plain_step(rule, state, master, oracle, 4)
        rows, after = rule.step(state, Request(master, workers, 4), oracle)
    assert_same(rows, expected[0])
    assert_same(after.model, expected[1].model)


@every_penalty
def test_nothing_given_is_changed(small_problem: ProblemMaker, penalty: Penalty) -> None:
    problem = small_problem("softmax")
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, Constant(0.3))
    state, master = rule.init(ordinary(len(workers), problem.dimension, np.float64)), problem.start()
    before = state.model.copy()
    rows, after = rule.step(state, Request(master, workers, 0), problem.oracle(workers))
    assert_same(state.model, before)
    assert rows is state.model
    assert not np.shares_memory(after.model, state.model)
    assert not master.any()


@dataclass(frozen=True)
class Twice(Penalty):
    """Somebody's own: twice the l1 norm; only its subgradient is given."""

    weight: float
    p = 1.0

    def subgradient(self, rows: Rows) -> Rows:
        return 2 * self.weight * np.sign(rows)


@pytest.mark.parametrize(
    ("penalty", "fused"),
    [
        (L1(0.1), "l1_step"),
        (L2(0.1), "steps"),
        (LInf(0.1), "steps"),
        (Lp(1.0, 0.1), None),
        (Lp(2.0, 0.1), None),
        (Lp(3.0, 0.1), None),
        (Twice(0.1), None),
    ],
    ids=str,
)
def test_only_what_gives_the_same_bits_is_fused(
    small_problem: ProblemMaker, monkeypatch: pytest.MonkeyPatch, penalty: Penalty, fused: str | None
) -> None:
    problem, taken = small_problem("softmax"), set[str]()
    workers, rule = problem.shards.workers, PenalisedWorker(penalty, Constant(0.3))
    state, oracle = rule.init(ordinary(len(workers), problem.dimension, np.float64)), problem.oracle(workers)
    for owner, name in ((Minibatches, "l1_step"), (penalty_steps, "steps")):
        monkeypatch.setattr(owner, name, _noting(getattr(owner, name), name, taken))
    _, after = rule.step(state, Request(problem.start(), workers, 0), oracle)
    assert taken == ({fused} if fused else set())
    assert_same(after.model, plain_step(rule, state, problem.start(), oracle, 0)[1].model)


def _noting(function: Callable[..., Rows], name: str, taken: set[str]) -> Callable[..., Rows]:
    def noted(*arguments: object) -> Rows:
        taken.add(name)
        return function(*arguments)

    return noted


@pytest.mark.parametrize(
    ("penalty", "momentum"), list(product([L1(0.1), L2(0.1), LInf(0.1), Twice(0.1)], [False, True])), ids=str
)
def test_oracles_that_offer_no_step_get_the_plain_formula(penalty: Penalty, momentum: bool) -> None:
    """Somebody's own gradients, alone or averaged: x - 0.3 (x^3 + subgradient), by hand."""

    def cubes(models: Rows, round: int, /) -> Rows:
        cubed: Rows = models**3
        return cubed

    inner = PenalisedWorker(penalty, Constant(0.3))
    models, master = ordinary(4, 9, np.float64), ordinary(1, 9, np.float64, seed=1)[0]
    rule: Any = WithMomentum(inner, 0.25) if momentum else inner
    _, after = rule.step(rule.init(models), Request(master, np.arange(1, 5), 0), cubes)
    gradients = 0.75 * models**3 if momentum else models**3
    expected = models - 0.3 * (gradients + penalty.subgradient(models - master))
    np.testing.assert_allclose(rule.iterates(after, master), expected, rtol=1e-14)


@pytest.mark.parametrize("base", [L1, L2, LInf, Lp])
def test_ours_cannot_be_derived_from(base: type[Penalty]) -> None:
    """A class derived from one of them would inherit a fused step that may not be its own."""
    with pytest.raises(TypeError, match=f"{base.__name__} is final, derive from Penalty; got class Mine"):
        type("Mine", (base,), {})


def test_workers_that_send_gradients_are_left_alone(small_problem: ProblemMaker) -> None:
    problem = small_problem("softmax")
    workers, rule, model = problem.shards.workers, GradientWorker(), problem.start() + 0.01
    rows, _ = rule.step(
        rule.init(np.tile(model, (len(workers), 1))), Request(model, workers, 3), problem.oracle(workers)
    )
    assert_same(rows, problem.oracle(workers)(model, 3))
