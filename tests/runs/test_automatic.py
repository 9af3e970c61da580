"""lambda and alpha by rule: what moves them, what cannot, and that runs know them."""

from dataclasses import replace
from functools import cache
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest

import outsiders
from changed import with_options
from holdfast import attacks, methods
from holdfast.cli import main
from holdfast.data import Dataset
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa, make_method
from holdfast.problems import LinearProblem
from holdfast.runs import auto as automatic
from holdfast.runs.auto import resolve_auto
from holdfast.runs.composition import participants
from holdfast.runs.observers import Interrupted
from holdfast.runs.plan import fill_defaults, make_plan
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.runs.survey import BATCH, Surveyor
from holdfast.runs.workbench import SHARED
from holdfast.studies.comparison import compare
from holdfast.studies.table import Comparison

AUTO = Spec(data="digits", method="rsa:norm=1,penalty=auto", rate="auto", rounds=400, eval_every=100)


@cache
def numbers(spec: Spec) -> tuple[float, float]:
    """Return the lambda and alpha that the rule finds."""
    found = resolve_auto(fill_defaults(spec))
    assert isinstance(found.method, Rsa)
    assert isinstance(found.method.penalty, float)
    return found.method.penalty, rate_of(spec)


@cache
def rate_of(spec: Spec) -> float:
    """Return the alpha that the rule finds, for any method."""
    rate = resolve_auto(fill_defaults(spec)).rate
    assert isinstance(rate, float)
    return rate


@cache
def honest_reports(spec: Spec) -> np.ndarray:
    """Return what the honest workers of a spec report."""
    truthful = fill_defaults(replace(spec, attack=None, byzantine=0))
    problem = SHARED.build(truthful).problem
    assert isinstance(problem, LinearProblem)
    assert isinstance(spec.method, Rsa)
    surveyor = Surveyor.of(problem, participants(truthful), spec.method.norm)
    oracle = replace(problem, batch=BATCH).oracle(participants(truthful))
    return surveyor.measure(problem.start(), oracle)[: spec.workers - spec.q]


@pytest.mark.parametrize("partition", ["iid", "by-label"])
def test_fewer_than_half_cannot_move_it_out_of_what_honest_workers_report(partition: str) -> None:
    plain, rounding = replace(AUTO, byzantine=9, partition=partition), 0.005
    prices, _, curvatures = honest_reports(plain).T
    steps = sqrt(plain.rounds) / curvatures
    for attack in attacks.REGISTRY:
        found = resolve_auto(fill_defaults(replace(plain, attack=attack)))
        assert isinstance(found.method, Rsa)
        assert isinstance(found.method.penalty, float)
        assert isinstance(found.rate, float)
        assert prices.min() * (1 - rounding) <= found.method.penalty <= prices.max() * (1 + rounding), attack
        assert steps.min() * (1 - rounding) <= found.rate <= steps.max() * (1 + rounding), attack


def test_a_byzantine_majority_is_refused_when_it_shows() -> None:
    with pytest.raises(
        InvalidInput, match=r"auto needs .* fewer than half of the workers Byzantine; got a price of inf"
    ):
        resolve_auto(fill_defaults(replace(AUTO, attack="infinite", byzantine=11)))


def test_workers_that_differ_need_a_larger_penalty() -> None:
    assert numbers(replace(AUTO, partition="by-label"))[0] > 5 * numbers(AUTO)[0]


@pytest.mark.parametrize("norm", [1.0, 2.0, inf])
def test_features_in_another_unit_give_the_same_run(norm: float) -> None:
    """Features times 4 are models / 4 and gradients times 4: lambda times 4, alpha / 16; c times 16 keeps f0."""
    spec = replace(with_options(AUTO, norm=norm), attack="sign-flip", byzantine=6)
    one, other = replace(spec, scale=16.0), replace(spec, scale=64.0, l2=0.16)
    penalty, rate = numbers(one)
    assert numbers(other) == pytest.approx((4 * penalty, rate / 16), rel=0.01)
    accuracies = [run(each).accuracy for each in (one, other)]
    assert accuracies[0] == pytest.approx(accuracies[1], abs=0.03)


def test_the_weight_of_losses_cancels() -> None:
    """Losses times m: lambda times m, alpha / m."""
    penalty, rate = numbers(AUTO)
    assert numbers(replace(AUTO, weighting="sum")) == pytest.approx((20 * penalty, rate / 20), rel=0.01)


def test_both_types_of_numbers_agree() -> None:
    assert numbers(replace(AUTO, dtype="float64")) == pytest.approx(numbers(AUTO), rel=0.01)


@pytest.mark.parametrize(
    ("schedule", "stretch"), [("inverse-sqrt", 20.0), ("inverse", 20.0), ("constant", 1.0)], ids=str
)
def test_the_last_step_is_the_longest_stable_one(schedule: str, stretch: float) -> None:
    """400 rounds: inverse-sqrt ends at rate / 20, constant at rate; inverse is held to sqrt(400) too."""
    curvature = np.median(honest_reports(AUTO)[:, 2])
    assert numbers(replace(AUTO, schedule=schedule))[1] == pytest.approx(stretch / curvature, rel=0.005)


@pytest.mark.parametrize("method", [name for name in methods.REGISTRY if not make_method(name).penalised])
def test_rules_on_gradients_step_along_the_sum_of_all(method: str) -> None:
    curvature = np.median(honest_reports(AUTO)[:, 2])
    assert rate_of(replace(AUTO, method=method)) == pytest.approx(20 / (20 * curvature + 0.01), rel=0.005)


def test_a_norm_that_pulls_one_coordinate_gets_shorter_steps() -> None:
    """One last pull of all m workers goes no farther than the model that a worker finds: alpha lambda m = reach."""
    spec = replace(with_options(AUTO, norm=inf), schedule="constant", partition="by-label")
    penalty, rate = numbers(spec)
    reach, curvature = np.median(honest_reports(spec)[:, 1:], axis=0)
    assert rate * penalty * 20 == pytest.approx(reach, rel=0.01)
    assert rate < 1 / curvature


def test_one_of_them_may_be_given() -> None:
    assert numbers(with_options(AUTO, penalty=0.3)) == (0.3, numbers(AUTO)[1])
    assert numbers(replace(AUTO, rate=0.3)) == (numbers(AUTO)[0], 0.3)


def test_a_loss_without_bounded_slope_does_not_diverge(tmp_path: Path) -> None:
    """Features of variance 900 and coefficients with squares 15 in sum: the loss at 0 is near 900 * 15 / 2 = 6750."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(800, 5)) * 30
    np.savez(tmp_path / "line.npz", x=x, y=x @ [1.0, -2.0, 0.0, 3.0, 1.0] + generator.normal(size=800))
    spec = replace(AUTO, data=str(tmp_path / "line.npz"), problem="least-squares")
    result = run(replace(spec, attack="gaussian", byzantine=8))
    assert result.last is not None
    assert result.last.loss < 0.01 * 6750 * 12 / 20


def test_it_learns_what_hand_tuning_learns() -> None:
    for partition, attack, least in (("iid", "sign-flip", 0.88), ("by-label", "duplicate", 0.5)):
        result = run(replace(AUTO, partition=partition, attack=attack, byzantine=8, rounds=1500))
        assert result.accuracy is not None
        assert result.accuracy > least


def test_a_folder_remembers_the_numbers_and_resumes_with_them(tmp_path: Path) -> None:
    spec = replace(AUTO, attack="gaussian", byzantine=8, checkpoint_every=150)
    whole = run(spec, tmp_path / "whole")
    stops = iter([False] * 200 + [True] * 10)
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "halves", stopping=lambda: next(stops))
    kept = Spec.read(tmp_path / "halves" / "spec.toml")
    assert isinstance(kept.method, Rsa)
    assert (kept.method.penalty, whole.spec.rate) == numbers(spec)
    resumed = resume(tmp_path / "halves")
    assert resumed.spec == whole.spec
    assert resumed.history == whole.history
    assert (resumed.model == whole.model).all()
    assert resumed.to_json()["penalty"] == numbers(spec)[0]


def test_a_comparison_tells_the_numbers_that_each_run_had() -> None:
    base = replace(AUTO, rounds=20, attack="gaussian", byzantine=4)
    methods = ("rsa", "ideal-rsa", "ideal-sgd", "krum")
    rsa, ideal, sgd, krum = specs = [replace(base, method=method) for method in methods]
    found = compare(specs, jobs=1)
    told = [getattr(result.spec.method, "penalty", None) for result in found]
    assert told == [numbers(rsa)[0], numbers(ideal)[0], None, None]
    truthful = replace(sgd, attack=None, byzantine=0)
    assert [result.spec.rate for result in found] == list(map(rate_of, (rsa, ideal, truthful, krum)))


def test_the_command_says_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--data", "digits", "--method", "rsa", "--rounds", "20"]
    assert main(["run", *flags, "--out", str(tmp_path / "run")]) == 0
    penalty, rate = numbers(Spec(data="digits", method="rsa", rounds=20))
    printed = capsys.readouterr().out
    assert f"penalty={penalty:g}" in printed
    assert f"--rate {rate:g}" in printed


def test_another_word_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rate must be a number or auto; got 'automatic'"):
        Spec.of({"rate": "automatic"})
    with pytest.raises(InvalidInput, match="penalty of method 'rsa' must be a number >= 0 or auto; got 'automatic'"):
        Spec(method="rsa:penalty=automatic")


def test_nothing_else_is_automatic() -> None:
    with pytest.raises(InvalidInput, match="l2 must be a number >= 0; got 'auto'"):
        Spec.of({"l2": "auto"})


def test_the_theorems_have_steps_of_their_own() -> None:
    with pytest.raises(InvalidInput, match=r"rate auto is for the schedules inverse-sqrt, .*; got theorem2"):
        Spec(rate="auto", schedule="theorem2")


# -- any problem, any number of workers ------------------------------------------------------------------------


def test_a_problem_of_ones_own_is_probed() -> None:
    """F_i = |x - c_i|^2 / 2 has curvature 1; a loss without a bound on its slope begins with the longest step, 1."""
    problem = outsiders.Quadratic(np.full((7, 4), 3.0), noise=0.0)
    found = resolve_auto(fill_defaults(Spec(problem=problem, workers=7, method="ideal-sgd", l2=0.0)))
    assert found.rate == pytest.approx(1 / 7, rel=0.01)
    penalty, rate = numbers(Spec(problem=problem, method="rsa", workers=7))
    start = problem.start()
    # all is gained at the end of the way, g = D^2 / 2: (g - 2/3 g) / D = D / 6; on the way there a little more
    assert penalty == pytest.approx(np.linalg.norm(start - 3.0) / 6, rel=0.25)
    assert rate <= 1.01
    result = run(Spec(problem=problem, method="rsa", workers=7, attack="sign-flip", byzantine=2, rounds=300))
    assert np.abs(result.model - 3.0).max() < 0.2 * np.abs(start - 3.0).max()


@pytest.mark.parametrize("problem", ["softmax", "logistic", "least-squares"])
@pytest.mark.parametrize("samples", [21, 40])
def test_a_worker_with_one_sample_is_no_obstacle(problem: str, samples: int) -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=(samples, 3))
    y = np.where(x[:, 0] > 0, 1, -1)
    data = Dataset("few", x, y, x, y)
    result = run(Spec(data=data, problem=problem, attack="sign-flip", byzantine=4, rounds=200))
    assert result.last is not None
    assert result.last.loss < {"softmax": 0.69, "logistic": 0.69, "least-squares": 0.5}[problem] * 16 / 20


def test_of_many_workers_some_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automatic, "SURVEYED", 30)
    asked = automatic._choose_workers(np.arange(1, 91), seed=0)
    assert len(asked) == len(set(asked)) == 30
    assert 0 < sum(worker > 70 for worker in asked) < 15
    spec = Spec(data="digits", method="rsa", workers=90, byzantine=20, attack="duplicate", rounds=400)
    some = numbers(spec)
    monkeypatch.setattr(automatic, "SURVEYED", 90)
    assert some == pytest.approx(numbers(replace(spec, checkpoint_every=499)), rel=0.2)


def test_what_else_cannot_work_is_said_first() -> None:
    with pytest.raises(InvalidInput, match=r"Krum needs n >= byzantine \+ 3"):
        make_plan(Spec(data="digits", method="krum", byzantine=18, attack="gaussian"))


def test_a_table_has_one_column_for_one_method() -> None:
    """Each attack gives the rule other reports, so other numbers; the method is the same for those who asked."""
    specs = [
        Spec(data="digits", method="rsa", rounds=2, byzantine=4, attack=attack) for attack in ("sign-flip", "gaussian")
    ]
    results = compare(specs, jobs=1)
    assert len({result.spec.method for result in results}) == 2
    assert [place.method for place in Comparison.of(results).places] == ["rsa", "rsa"]


def test_the_first_step_is_stable_for_the_masters_regulariser() -> None:
    """Standardised features and weights 1 / m make L small, so that sqrt(K) / L is far above 1 / c = 100."""
    x = np.random.default_rng(0).normal(size=(400, 5))
    y = (x.sum(axis=1) > 0).astype(int)
    spec = Spec(data=Dataset("line", x, y, x, y), method="rsa", problem="logistic", rounds=500, eval_every=25)
    assert rate_of(spec) == 100.0
    assert rate_of(replace(spec, l2=0.0)) > 500
    assert run(spec).diverged is None
