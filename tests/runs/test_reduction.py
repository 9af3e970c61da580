"""Workers with SAGA and LSVRG: unbiased, less and less noisy, and kept over interruptions."""

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInput
from holdfast.methods import GradientWorker, PenalisedWorker, WithLsvrg, WithMomentum, WithSaga
from holdfast.methods.penalties import L1
from holdfast.methods.schedules import Constant
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.states import arrays_of
from holdfast.typing import Request, Rows
from outsiders import Quadratic

BASE = Spec(data="digits", workers=10, rounds=8, eval_every=4, batch=8)
BOTH = pytest.mark.parametrize("reduction", ["saga", "lsvrg"])
METHODS = ["rsa", "rsa:norm=2", "rsa:messages=bits", "median", "nnm+krum:byzantine=2", "centered-clipping:radius=1"]


class Two:
    """One worker with samples 1 and 3, f_j(x) = (x - a_j)^2 / 2; draw k is sample k modulo 2; draw 1 refreshes."""

    def __call__(self, models: Rows, draw: int, /) -> Rows:
        return np.atleast_2d(models) - [1.0, 3.0][draw % 2]

    def full(self, models: Rows, where: Any) -> Rows:
        rows: Rows = np.atleast_2d(models) - 2.0
        found: Rows = rows[where]
        return found

    def refreshes(self, round: int) -> Any:
        return np.array([round == 1])

    def saga(self, models: Rows, round: int, tables: Rows, averages: Rows) -> tuple[Rows, Rows, Rows]:
        at, fresh = round % 2, np.atleast_2d(models) - [1.0, 3.0][round % 2]
        after = tables.copy()
        after[:, at] = fresh[:, 0]
        return fresh - tables[:, [at]] + averages, after, averages + (fresh - tables[:, [at]]) / 2


def test_lsvrg_by_hand() -> None:
    """x = 4, 6, 0, 5. At first w = 4, grad F(4) = 2; draw 1 makes it w = 6, grad F(6) = 4.

    0: (4 - 1) - (4 - 1) + 2 = 2;   1: (6 - 3) - (4 - 3) + 2 = 4;   2: (0 - 1) - (6 - 1) + 4 = -2;
    3: (5 - 3) - (6 - 3) + 4 = 3.
    """
    rule = WithLsvrg(GradientWorker())
    state, sent = rule.init(np.zeros((1, 1))), []
    for round, x in enumerate([4.0, 6.0, 0.0, 5.0]):
        message, state = rule.step(state, Request(np.array([x]), np.array([1]), round), Two())
        sent.append(message.item())
    assert sent == [2.0, 4.0, -2.0, 3.0]
    assert (state.reference.item(), state.full.item()) == (6.0, 4.0)


def test_saga_by_hand() -> None:
    """x = 4, 6, 0, 5; t = 0, 0 at first.

    0: 3 - 0 + 0 = 3, t = 3, 0;   1: 3 - 0 + 1.5 = 4.5, t = 3, 3;   2: -1 - 3 + 3 = -1, t = -1, 3;
    3: 2 - 3 + 1 = 0, t = -1, 2.
    """
    rule = WithSaga(GradientWorker(), 2)
    state, sent = rule.init(np.zeros((1, 1))), []
    for round, x in enumerate([4.0, 6.0, 0.0, 5.0]):
        message, state = rule.step(state, Request(np.array([x]), np.array([1]), round), Two())
        sent.append(message.item())
    assert sent == [3.0, 4.5, -1.0, 0.0]
    assert state.table.tolist() == [[-1.0, 2.0]]
    assert state.average.item() == 0.5


def test_rsa_and_momentum_use_what_is_reduced() -> None:
    """LSVRG's first gradient at x = 4 is 2; half of it is followed: 4 - 0.1 (1 + 1) = 3.8, with x0 = 0 and lambda 1."""
    rule = WithLsvrg(WithMomentum(PenalisedWorker(L1(1.0), Constant(0.1)), 0.5))
    _, state = rule.step(rule.init(np.array([[4.0]])), Request(np.array([0.0]), np.array([1]), 0), Two())
    np.testing.assert_allclose(rule.iterates(state, np.array([0.0])), [[3.8]])


@pytest.mark.parametrize("make", [lambda size: WithSaga(GradientWorker(), size), lambda _: WithLsvrg(GradientWorker())])
def test_at_one_model_the_noise_goes(make: Any) -> None:
    """After enough draws SAGA's table is full, and LSVRG's reference is the model: every estimate is the gradient."""
    problem = hf.problems.Softmax.of(
        hf.load("digits"), hf.data.Iid(), workers=10, batch=16, scale=16.0, dtype=np.float64
    )
    oracle, x = problem.oracle(problem.workers), problem.start() + 0.01
    rule = make(problem.table)
    state = rule.init(np.zeros((10, problem.dimension)))
    for round in range(150):
        rows, state = rule.step(state, Request(x, problem.workers, round), oracle)
    truth = oracle.full(x, np.ones(10, np.bool_))
    noise = np.abs(oracle(x, 150) - truth).max()
    assert np.abs(rows - truth).max() < 1e-6 * noise


@BOTH
@pytest.mark.parametrize("method", METHODS)
def test_none_is_no_change_and_some_is(method: str, reduction: Any) -> None:
    spec = replace(BASE, method=method)
    assert run(spec).model.tobytes() != run(replace(spec, reduction=reduction)).model.tobytes()


@BOTH
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits,local_steps=2", "median"])
def test_a_resumed_run_keeps_it(method: str, reduction: Any, share: float, tmp_path: Path) -> None:
    spec = replace(
        BASE, method=method, reduction=reduction, momentum=0.5, participation=share, byzantine=(3,), attack="sign-flip"
    )
    whole, rounds = run(spec), count()
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stopping=lambda: next(rounds) > 4)
    resumed = resume(tmp_path / "run")
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert resumed.history == whole.history


@BOTH
@pytest.mark.parametrize("attack", ["label-flip", "dynamic-label-flip", "gaussian"])
def test_poisoned_and_idle_workers_reduce_too(reduction: Any, attack: str) -> None:
    spec = replace(BASE, reduction=reduction, attack=attack, byzantine=(2, 7))
    assert run(spec).diverged is None
    assert run(spec).model.tobytes() == run(replace(spec, byzantine_work="always")).model.tobytes()


@BOTH
@pytest.mark.parametrize("inner", [GradientWorker(), PenalisedWorker(L1(0.01), Constant(0.1), steps=2)], ids=repr)
def test_workers_go_by_rows(reduction: str, inner: Any) -> None:
    problem = hf.problems.Softmax.of(hf.load("digits"), hf.data.Iid(), workers=6, batch=4, scale=16.0)
    rule: Any = WithSaga(inner, problem.table) if reduction == "saga" else WithLsvrg(inner)
    workers, x = problem.workers, problem.start()
    models: Rows = np.tile(x, (6, 1))
    together, alone = rule.init(models), [rule.init(models[[row]]) for row in range(6)]
    for round in range(4):
        sent, together = rule.step(together, Request(x + round, workers, round), problem.oracle(workers))
        for row in range(6):
            asked = Request(x + round, workers[[row]], round)
            message, alone[row] = rule.step(alone[row], asked, problem.oracle(asked.workers))
            np.testing.assert_array_equal(message[0], sent[row])
            for name, array in arrays_of(alone[row]).items():
                np.testing.assert_array_equal(array[0], arrays_of(together)[name][row])


@BOTH
def test_a_problem_without_samples_says_so(reduction: Any) -> None:
    with pytest.raises(InvalidInput, match=f"{reduction} needs an oracle with `full`, `refreshes` and `saga`, .*; got"):
        hf.simulate(Quadratic(np.eye(5)), "rsa", rounds=3, reduction=reduction)
