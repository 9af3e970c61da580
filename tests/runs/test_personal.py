"""The workers' own models on their own distributions, against the definition sample by sample."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from changed import ready
from holdfast import load
from holdfast.engines.engine import train
from holdfast.problems import LinearProblem
from holdfast.runs import personal
from holdfast.runs.experiment import Experiment, assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Vector

BASE = Spec(
    data="digits",
    method="rsa",
    workers=6,
    byzantine=(2, 5),
    attack="sign-flip",
    partition="dirichlet:alpha=0.3",
    rounds=40,
)


def played(spec: Spec) -> tuple[Experiment, Vector]:
    """Return the parts of a run after its rounds, and the master's model."""
    parts = assemble(remake_plan(ready(spec)))
    program = parts.program
    *_, last = train(program, parts.engine, program.init(parts.problem.start()), range(spec.rounds))
    return parts, last.model


def weighted(parts: Experiment, worker: int, model: Vector, step: int = 1) -> float:
    """Sum the right answers, each with the weight of its class over the test samples of that class."""
    assert isinstance(parts.problem, LinearProblem)
    _, mine = parts.problem.shards.of(worker)
    data, width = load("digits"), 64
    weights, biases = model[: 10 * width].reshape(10, width), model[10 * width :]
    total = 0.0
    for label in range(10):
        samples = data.test_features[data.test_targets == label][::step]
        guesses = [(weights @ (16.0 * sample.ravel()) + biases).argmax() for sample in samples]
        total += np.mean(mine == label) * np.mean([guess == label for guess in guesses])
    return float(total)


def test_both_models_on_each_honest_workers_distribution() -> None:
    found = run(BASE).personal
    parts, model = played(BASE)
    assert found is not None
    assert [each.worker for each in found] == [1, 3, 4, 6]
    for each in found:
        own = parts.engine.state.model[each.worker - 1]
        assert each.own == pytest.approx(weighted(parts, each.worker, own))
        assert each.master == pytest.approx(weighted(parts, each.worker, model))
    assert any(each.own != each.master for each in found)


def test_of_many_test_samples_evenly_spread_ones_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(BASE, partition="iid")
    monkeypatch.setattr(personal, "SAMPLES", 240)  # 24 of each class, of 27 to 44: every second one
    counts = np.bincount(load("digits").test_targets)
    assert counts.min() > 24
    assert counts.max() <= 48
    parts, model = played(spec)
    found = personal.measure_personal(parts, model)
    assert found is not None
    for each in found:
        assert each.master == pytest.approx(weighted(parts, each.worker, model, step=2))
        assert each.own == pytest.approx(
            weighted(parts, each.worker, parts.engine.state.model[each.worker - 1], step=2)
        )


@pytest.mark.parametrize("method", ["sgd", "krum", "ideal-sgd"])
def test_workers_of_gradient_methods_hold_the_masters_model(method: str) -> None:
    found = run(replace(BASE, method=method, attack="gaussian:scale=1")).personal
    assert found is not None
    assert all(each.own == each.master is not None for each in found)


def test_ideal_rsa_measures_those_who_take_part() -> None:
    found = run(replace(BASE, method="ideal-rsa")).personal
    assert found is not None
    assert [each.worker for each in found] == [1, 3, 4, 6]


def test_classes_that_the_test_set_lacks_are_left_out(tmp_path: Path) -> None:
    # by label, worker 1 holds classes 0 and 1, worker 2 class 2; the test set has only 0
    np.savez(
        tmp_path / "own.npz",
        x_train=np.eye(3)[[0, 0, 1, 2]],
        y_train=[0, 0, 1, 2],
        x_test=np.eye(3)[[0, 0]],
        y_test=[0, 0],
    )
    spec = Spec(data=str(tmp_path / "own.npz"), workers=2, partition="by-label", rounds=20, rate=0.1)
    found = run(spec).personal
    assert found is not None
    assert [(each.worker, each.own) for each in found] == [(1, 1.0), (2, None)]
    assert found[1].master is None


def test_least_squares_and_runs_that_diverge_have_none(tmp_path: Path) -> None:
    features = np.random.default_rng(0).normal(size=(50, 2))
    np.savez(tmp_path / "own.npz", x=features, y=features.sum(axis=1))
    assert run(Spec(data=str(tmp_path / "own.npz"), problem="least-squares", workers=2, rounds=2)).personal is None
    assert run(replace(BASE, method="sgd", attack="infinite")).personal is None
