"""Workers that send or follow averaged gradients: v <- momentum v + (1 - momentum) gradient."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from changed import ready
from holdfast.methods import GradientWorker, PenalisedWorker, Served, WithMomentum, make_method
from holdfast.methods.penalties import L1
from holdfast.methods.schedules import Constant
from holdfast.runs.experiment import assemble
from holdfast.runs.folder.checkpoint import Checkpoint
from holdfast.runs.observers import Interrupted, LoggingObserver
from holdfast.runs.plan import fill_defaults, remake_plan
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.studies.arena_presets import Preset
from holdfast.studies.comparison import compare
from holdfast.studies.halving import candidates
from holdfast.studies.paper.figures import NAMES, figure
from holdfast.studies.paper.rates import load_rates
from holdfast.studies.study import grid
from holdfast.typing import Request, Rows

BASE = Spec(data="digits", workers=10, rounds=8, eval_every=4, batch=8)
METHODS = ["rsa", "rsa:norm=2", "rsa:messages=bits", "median", "nnm+krum:byzantine=2", "centered-clipping:radius=1"]


def rising(models: Rows, draw: int, /) -> Rows:
    """Gradients x + draw, at one model or at a row each."""
    rows: Rows = np.atleast_2d(models) + draw
    return np.broadcast_to(rows, (2, rows.shape[1])).copy()


def ask(model: float, round: int) -> Request:
    """Ask both workers to answer a model of one number."""
    return Request(np.array([model]), np.array([1, 2]), round)


def test_two_rounds_of_gradients_by_hand() -> None:
    """momentum 0.75; x0 = 4 then 8, draws 0 and 1.

    v = 0.25 * (4 + 0) = 1, then 0.75 * 1 + 0.25 * (8 + 1) = 3.
    """
    rule = WithMomentum(GradientWorker(), 0.75)
    state = rule.init(np.zeros((2, 1)))
    first, state = rule.step(state, ask(4.0, 0), rising)
    assert first.tolist() == [[1.0], [1.0]]
    second, state = rule.step(state, ask(8.0, 1), rising)
    assert second.tolist() == [[3.0], [3.0]]
    assert state.average.tolist() == [[3.0], [3.0]]
    assert rule.iterates(state, np.array([8.0])).tolist() == [8.0]
    assert rule.neutral(np.array([8.0])).tolist() == [0.0]


def test_two_rounds_of_rsa_by_hand() -> None:
    """momentum 0.5, alpha 0.1, lambda 1, x0 = 0, x_i = 2.

    v = 0.5 * (2 + 0) = 1;                       x_i = 2 - 0.1 (1 + 1) = 1.8
    v = 0.5 * 1 + 0.5 * (1.8 + 1) = 1.9;         x_i = 1.8 - 0.1 (1.9 + 1) = 1.51
    """
    rule = WithMomentum(PenalisedWorker(L1(1.0), Constant(0.1)), 0.5)
    state = rule.init(np.full((2, 1), 2.0))
    sent, state = rule.step(state, ask(0.0, 0), rising)
    assert sent.tolist() == [[2.0], [2.0]]
    np.testing.assert_allclose(rule.iterates(state, np.array([0.0])), [[1.8], [1.8]])
    sent, state = rule.step(state, ask(0.0, 1), rising)
    np.testing.assert_allclose(sent, [[1.8], [1.8]])
    np.testing.assert_allclose(rule.iterates(state, np.array([0.0])), [[1.51], [1.51]])
    np.testing.assert_allclose(state.average, [[1.9], [1.9]])


def test_every_local_step_averages() -> None:
    """As above in one round of two steps, draws 0 and 1."""
    rule = WithMomentum(PenalisedWorker(L1(1.0), Constant(0.1), steps=2), 0.5)
    _, state = rule.step(rule.init(np.full((2, 1), 2.0)), ask(0.0, 0), rising)
    np.testing.assert_allclose(rule.iterates(state, np.array([0.0])), [[1.51], [1.51]])


@pytest.mark.parametrize("method", METHODS)
def test_rules_on_gradients_have_momentum_unless_told_otherwise_and_rsa_has_none(method: str) -> None:
    spec = replace(BASE, method=method)
    made = make_method(method)
    assert isinstance(made, hf.methods.Method)
    default = 0.0 if made.penalised else 0.9
    plain, same, some = (run(each) for each in (spec, replace(spec, momentum=default), replace(spec, momentum=0.5)))
    assert plain.spec.momentum == default
    assert plain.model.tobytes() == same.model.tobytes()
    assert plain.history == same.history
    assert plain.model.tobytes() != some.model.tobytes()


def test_every_command_plays_the_same_momentum() -> None:
    """One spec gives one number: alone, in a comparison, in an arena and in a search."""
    base = replace(BASE, rate=0.001)
    alone = run(replace(base, method="median"))
    (compared,) = compare(grid(base, ["median"], ["none"], ["iid"]), jobs=1)
    assert compared.accuracy == alone.accuracy
    assert compared.last == alone.last
    arena = Preset(methods=["median", "rsa"], attacks=["sign-flip"], partitions=["iid"], byzantine=["2"]).arena()
    played = [fill_defaults(arena.specs(bout)[0]) for bout in arena.bouts()]
    assert {(spec.method_name, spec.momentum) for spec in played} == {("median", 0.9), ("rsa", 0.0)}
    assert {spec.momentum for spec in candidates(replace(base, method="median"), [2.0], 3)} == {0.9}
    for name in NAMES:
        momenta = {curve.spec.momentum for curve in figure(name, load_rates()).curves()}
        assert momenta == {0.0}, "the paper has none"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("after", [1, 5])
def test_a_resumed_run_keeps_the_averages(method: str, share: float, after: int, tmp_path: Path) -> None:
    spec = replace(BASE, method=method, momentum=0.9, participation=share, byzantine=(3,), attack="sign-flip")
    whole, rounds = run(spec), 0

    def stopping() -> bool:
        return rounds >= after

    class Counts(LoggingObserver):
        def count(self, round: int) -> None:
            nonlocal rounds
            rounds = round

    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", Counts(), stopping)
    kept = Checkpoint.of_bytes((tmp_path / "run" / "checkpoint.npz").read_bytes())
    assert np.abs(kept.workers["average"]).max() > 0
    resumed = resume(tmp_path / "run")
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert resumed.history == whole.history


@pytest.mark.parametrize("method", ["rsa", "median"])
def test_only_those_who_are_asked_move_their_averages(method: str) -> None:
    parts = assemble(remake_plan(ready(replace(BASE, method=method, momentum=0.9, participation=0.4))))
    engine, x0 = parts.engine, parts.problem.start()
    averages = [engine.state.average.copy()]
    for round in range(3):
        engine.exchange(Served(x0), round)
        averages.append(engine.state.average.copy())
        moved = (averages[-1] != averages[-2]).any(axis=1)
        np.testing.assert_array_equal(np.flatnonzero(moved) + 1, engine.select_workers(round))
        assert len(engine.select_workers(round)) == 4
    never = ~(averages[-1] != 0).any(axis=1)
    assert never.sum() == 10 - len(set(np.concatenate([engine.select_workers(round) for round in range(3)]).tolist()))


@pytest.mark.parametrize("attack", ["gaussian", "duplicate", "sign-flip"])
def test_idle_byzantine_workers_change_nothing(attack: str) -> None:
    """Those whose attack does not use their own message keep no average; the others' are the same."""
    spec = replace(BASE, momentum=0.9, attack=attack, byzantine=(2, 7))
    assert run(spec).model.tobytes() == run(replace(spec, byzantine_work="always")).model.tobytes()


def test_momentum_calms_the_messages() -> None:
    """Averages of noisy gradients vary by (1 - momentum) / (1 + momentum) of their variance, once they are warm."""
    problem = hf.problems.Softmax.of(hf.load("digits"), hf.data.Iid(), workers=10, batch=4, scale=16.0)
    oracle, x = problem.oracle(problem.workers), problem.start()
    rule = WithMomentum(GradientWorker(), 0.9)
    state, sent = rule.init(np.zeros((10, problem.dimension), np.float32)), []
    for round in range(400):
        rows, state = rule.step(state, Request(x, problem.workers, round), oracle)
        sent.append(rows)
    fresh = np.stack([oracle(x, round) for round in range(400)])
    ratio = np.stack(sent[100:]).var(axis=0).mean() / fresh[100:].var(axis=0).mean()
    assert ratio == pytest.approx(0.1 / 1.9, rel=0.15)
