"""A problem of one's own: quadratic, noisy by address, with a random start; and what asks for more than that."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdfast as hf
from holdfast import attacks, data, methods
from holdfast.errors import InvalidInput
from holdfast.insight.theorems import find_guarantees
from holdfast.problems import LinearProblem, Problem, solvable
from holdfast.runs.observers import Interrupted
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from outsiders import Quadratic, Undivided

CENTRES = np.random.default_rng(5).normal(size=(7, 12))
QUADRATIC = Quadratic(CENTRES, seed=3)
METHODS = [*methods.REGISTRY, "bucketing+median", "nnm+trimmed-mean", "rsa:norm=2", "rsa:messages=bits,local_steps=2"]


def test_it_is_a_problem() -> None:
    assert isinstance(QUADRATIC, Problem)
    assert not isinstance(QUADRATIC, LinearProblem)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_it(method: str) -> None:
    """The mean of the centres is the minimum; from a start about sqrt(24) away every method comes nearer."""
    result = hf.simulate(QUADRATIC, method, rounds=300, rate=0.02, l2=0.0, eval_every=100)
    start, mean = QUADRATIC.start(), CENTRES.mean(axis=0)
    assert result.diverged is None
    assert np.linalg.norm(result.model - mean) < 0.9 * np.linalg.norm(start - mean)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs_under_attack_and_the_same_again(method: str) -> None:
    for attack in ("sign-flip", "duplicate", "gaussian:scale=1"):
        spec = Spec(problem=QUADRATIC, workers=7, method=method, attack=attack, byzantine=(2,), rounds=8, eval_every=4)
        first = run(spec)
        alone = hf.simulate(QUADRATIC, method, attack=attack, byzantine=(2,), rounds=8, eval_every=4)
        assert first.model.tobytes() == alone.model.tobytes(), attack
        assert first.history == alone.history, attack
        assert first.model.dtype == np.float64


def test_every_attack_runs_on_it() -> None:
    for name, attack in attacks.REGISTRY.items():
        if issubclass(attack, attacks.LabelPoisoning | attacks.BatchPoisoning):
            with pytest.raises(InvalidInput, match=r"needs a problem with classes .*; got Quadratic"):
                hf.simulate(QUADRATIC, "rsa", attack=name, byzantine=2, rounds=3)
        else:
            assert hf.simulate(QUADRATIC, "rsa", attack=name, byzantine=2, rounds=3).diverged is None


def test_what_it_measures_is_recorded() -> None:
    result = hf.simulate(QUADRATIC, "rsa", rounds=4, eval_every=2, l2=0.5, byzantine=2, attack="gaussian")
    last = result.last
    assert last is not None
    assert last.accuracy is None
    assert result.accuracy is None
    assert last.metrics == QUADRATIC.evaluate(result.model)
    assert last.loss == QUADRATIC.objective(result.model, range(1, 6)) + 0.25 * float(result.model @ result.model)
    assert result.ceiling is None
    assert result.personal is None
    assert (result.arrays()["worst"] == [each.metrics["worst"] for each in result.history]).all()


def test_the_random_start_is_everybodys() -> None:
    result = hf.simulate(Quadratic(CENTRES, seed=3, noise=0.0), "rsa:penalty=0", rounds=1, rate=1e-9, l2=0.0)
    np.testing.assert_allclose(result.model, QUADRATIC.start(), rtol=1e-12)
    assert (QUADRATIC.start() != Quadratic(CENTRES, seed=4).start()).all()


@pytest.mark.parametrize("method", ["rsa", "median"])
def test_some_at_a_time(method: str) -> None:
    spec = Spec(problem=QUADRATIC, workers=7, method=method, rounds=9, participation=0.4)
    assert run(spec).model.tobytes() == run(spec).model.tobytes()
    assert run(spec).model.tobytes() != run(replace(spec, participation=1.0)).model.tobytes()


def test_an_oracle_that_serves_all_or_none() -> None:
    """Byzantine workers then compute what nobody reads; fewer than all cannot be asked."""
    whole = hf.simulate(Undivided(CENTRES, seed=3), "rsa", attack="gaussian", byzantine=2, rounds=5)
    assert (
        whole.model.tobytes() == hf.simulate(QUADRATIC, "rsa", attack="gaussian", byzantine=2, rounds=5).model.tobytes()
    )
    with pytest.raises(
        InvalidInput, match=r"participation below 1 needs an oracle with `only\(workers\)`; got function"
    ):
        hf.simulate(Undivided(CENTRES), "rsa", participation=0.5, rounds=2)


def test_momentum_and_both_kinds_of_numbers() -> None:
    single = Quadratic(CENTRES.astype(np.float32), seed=3)
    for momentum in (0.0, 0.9):
        one, other = (hf.simulate(each, "median", rounds=20, momentum=momentum) for each in (single, QUADRATIC))
        assert one.model.dtype == np.float32
        np.testing.assert_allclose(one.model, other.model, atol=1e-5)


@pytest.mark.parametrize("problem", [Quadratic, "outsiders:Quadratic"], ids=str)
def test_from_a_spec_and_in_a_folder(problem: Any, tmp_path: Path) -> None:
    spec = Spec(problem=problem, data="digits", workers=6, rounds=12, checkpoint_every=5, eval_every=6)
    whole, stops = run(spec, tmp_path / "whole"), iter([False] * 15 + [True] * 20)
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stopping=lambda: next(stops))
    assert hf.resume(tmp_path / "run").model.tobytes() == whole.model.tobytes()
    assert len(whole.model) == 64


# -- what asks for more ----------------------------------------------------------------------------------------

NEEDS = r"needs a problem with a known optimum \(softmax, logistic, least-squares\); got Quadratic"
OWN = Spec(problem=QUADRATIC, method="rsa", workers=7, rounds=2)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: find_guarantees(OWN),
        lambda: run(replace(OWN, schedule="theorem2")),
        lambda: run(replace(OWN, schedule="theorem-sqrt")),
        lambda: solvable(QUADRATIC, "somebody"),
    ],
    ids=["theory", "theorem2", "theorem-sqrt", "solvable"],
)
def test_what_needs_an_optimum_says_so(ask: Any) -> None:
    with pytest.raises(InvalidInput, match=NEEDS) as raised:
        ask()
    assert "\n" not in str(raised.value)


def test_what_is_no_problem_is_refused() -> None:
    class Half:
        dimension = 3

    with pytest.raises(InvalidInput, match=r"simulate needs a problem such as Softmax.of\(...\) makes; got Half"):
        hf.simulate(Half(), "rsa")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="a problem must be a name, a Problem or what makes one; got"):
        Spec(problem=Half())


# -- shapes ----------------------------------------------------------------------------------------------------


def test_images_stay_images() -> None:
    digits = hf.load("digits")
    assert digits.train_features.shape == (1438, 8, 8)
    assert digits.test_features.shape == (359, 8, 8)
    assert digits.train_features.dtype == np.uint8


def test_a_file_of_images_keeps_them_and_linear_problems_see_them_flat(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 256, (40, 5, 4, 3), dtype=np.uint8)
    labels = images[:, 0, 0, 0] > 100
    np.savez(tmp_path / "images.npz", x=images, y=labels)
    np.savez(tmp_path / "flat.npz", x=images.reshape(40, -1), y=labels)
    np.savez(tmp_path / "both.npz", x_train=images, y_train=labels, x_test=images[:3], y_test=labels[:3])
    assert data.load(str(tmp_path / "images.npz")).train_features.shape == (32, 5, 4, 3)
    assert data.load(tmp_path / "both.npz").test_features.shape == (3, 5, 4, 3)
    spec = Spec(workers=4, rounds=10, batch=4)
    one, other = (run(replace(spec, data=str(tmp_path / name))) for name in ("images.npz", "flat.npz"))
    assert one.model.tobytes() == other.model.tobytes()
    assert one.accuracy == other.accuracy
    np.savez(tmp_path / "mixed.npz", x_train=images, y_train=labels, x_test=images[:3, :4], y_test=labels[:3])
    with pytest.raises(InvalidInput, match=r"one shape for testing and training; got \(4, 4, 3\) and \(5, 4, 3\)"):
        data.load(tmp_path / "mixed.npz")


def test_a_linear_problem_holds_flat_samples() -> None:
    problem = SHARED.build(fill_defaults(Spec(data="digits"))).problem
    assert isinstance(problem, LinearProblem)
    assert problem.shards.width == 64
    assert problem.test is not None
    assert problem.test.features.shape == (359, 64)
    flat = hf.load("digits").test_features.reshape(359, 64)
    np.testing.assert_array_equal(problem.test.features, flat)
