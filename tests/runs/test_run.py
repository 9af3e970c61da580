"""Runs: what they record, what reproduces them, and who may lie in them."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast import attacks, methods
from holdfast.errors import InvalidInput
from holdfast.runs.metrics import Evaluation
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from pairs import pairs

BASE = Spec(data="digits", workers=10, rounds=6, eval_every=3, batch=8)
ROBUST = tuple(name for name in methods.REGISTRY if name != "sgd")
EXTREME = ("same-value:value=1e38", "same-value:value=nan", "same-value:value=-inf", "gaussian:scale=1e300",
           "sign-flip:factor=-1e38", "sign-flip:factor=0")  # fmt: skip


def attacked(attack: str, method: str = "rsa") -> Spec:
    return replace(BASE, method=method, attack=attack, byzantine=3)


def numbered(spec: Spec) -> Spec:
    """Return the spec with numbers near those that the rule finds here: finding them takes ten times such a run."""
    return replace(spec, method=spec.method.with_penalty(0.7), rate=1e-4 if spec.method.penalised else 1e-5)


def model_of(spec: Spec) -> bytes:
    return run(spec).model.tobytes()


@pytest.mark.parametrize(
    ("rounds", "eval_every", "expected"),
    [(25, 10, [10, 20, 25]), (20, 10, [10, 20]), (3, 100, [3]), (3, 1, [1, 2, 3]), (1, 1, [1])],
)
def test_history_has_every_due_round_and_the_last(rounds: int, eval_every: int, expected: list[int]) -> None:
    result = run(replace(BASE, rounds=rounds, eval_every=eval_every))
    assert [evaluation.round for evaluation in result.history] == expected
    assert result.rounds == rounds
    assert result.diverged is None


def test_how_often_one_looks_changes_nothing() -> None:
    seldom, often = run(replace(BASE, eval_every=6)), run(replace(BASE, eval_every=1, checkpoint_every=2))
    assert seldom.model.tobytes() == often.model.tobytes()
    assert seldom.history == often.history[-1:]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("attack", ["gaussian", "contrarian"])
def test_a_seed_reproduces_every_bit(dtype: Any, attack: str) -> None:
    spec = replace(attacked(attack), dtype=dtype, partition="dirichlet:alpha=0.5", seed=5)
    first, second = run(spec), run(spec)
    assert first.model.dtype == np.dtype(dtype)
    assert first.model.tobytes() == second.model.tobytes()
    assert first.history == second.history


def test_another_seed_is_another_run() -> None:
    assert len({model_of(replace(BASE, seed=seed)) for seed in range(4)}) == 4


def test_both_precisions_learn_the_same() -> None:
    single, double = run(replace(BASE, rounds=30)), run(replace(BASE, rounds=30, dtype="float64"))
    assert single.model.dtype == np.float32
    assert double.model.dtype == np.float64
    np.testing.assert_allclose(single.model, double.model, atol=1e-4)


@pytest.mark.parametrize(("method", "attack"), pairs())
def test_methods_under_attacks_end_finite_or_say_so(method: str, attack: str) -> None:
    spec = replace(BASE, method=method) if attack == "none" else replace(attacked(attack, method), workers=15)
    result = run(numbered(spec))
    json.dumps(result.to_json(), allow_nan=False)
    if result.diverged is None:
        assert np.isfinite(result.model).all()
        assert result.rounds == spec.rounds
        assert result.accuracy is not None
        assert 0 <= result.accuracy <= 1
    else:
        assert method == "sgd"
        assert result.accuracy is None
        assert result.rounds == result.diverged


@pytest.mark.parametrize("method", ROBUST)
def test_nothing_that_byzantine_workers_send_makes_a_robust_method_diverge(method: str) -> None:
    for attack in EXTREME:
        for dtype in ("float32", "float64"):
            result = run(numbered(replace(attacked(attack, method), workers=15, dtype=dtype, rounds=3)))
            assert result.diverged is None, (attack, dtype)
            assert np.isfinite(result.model).all(), (attack, dtype)


@pytest.mark.parametrize("method", ["rsa", "median", "centered-clipping"])
def test_nor_do_they_where_numbers_are_found_by_rule(method: str) -> None:
    for attack in EXTREME:
        assert run(replace(attacked(attack, method), workers=15, rounds=3)).diverged is None, attack


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, float("inf")])
def test_to_rsa_the_size_of_a_lie_does_not_matter(norm: float) -> None:
    spec = replace(attacked("same-value:value=1e30"), method=methods.Rsa(norm=norm))
    far, farther = run(spec), run(replace(spec, attack="same-value:value=1e35"))
    np.testing.assert_allclose(far.model, farther.model, rtol=1e-6, atol=1e-9)


def test_to_rsa_a_lie_matters_at_all() -> None:
    assert model_of(attacked("same-value")) != model_of(replace(BASE, byzantine=3))


def test_no_attack_reaches_ideal_sgd() -> None:
    alone = model_of(replace(BASE, method="ideal-sgd"))
    assert [name for name in attacks.REGISTRY if model_of(attacked(name, "ideal-sgd")) != alone] == []


def test_no_attack_reaches_ideal_rsa() -> None:
    alone = model_of(replace(BASE, method="ideal-rsa", byzantine=3))
    assert [name for name in attacks.REGISTRY if model_of(attacked(name, "ideal-rsa")) != alone] == []
    assert alone != model_of(BASE)  # the Byzantine workers' data are not learned from


@pytest.mark.parametrize(("real", "ideal"), [("rsa", "ideal-rsa"), ("sgd", "ideal-sgd")])
def test_where_nobody_lies_the_ideal_is_real(real: str, ideal: str) -> None:
    one, other = (run(replace(BASE, method=method)) for method in (real, ideal))
    assert one.model.tobytes() == other.model.tobytes()
    assert one.history == other.history


def test_byzantine_are_the_last_unless_named() -> None:
    spec = attacked("same-value")
    named = [model_of(replace(spec, byzantine=workers)) for workers in ((8, 9, 10), (10, 8, 9), (1, 2, 3))]
    assert model_of(spec) == named[0] == named[1]
    assert model_of(spec) != named[2]


def test_any_subset_may_be_byzantine() -> None:
    small = replace(BASE, method="rsa:penalty=1", rate=0.001, workers=4, rounds=2, byzantine=1, attack="sign-flip")
    subsets = [workers for size in (1, 2, 3) for workers in combinations(range(1, 5), size)]
    models = {workers: model_of(replace(small, byzantine=workers)) for workers in subsets}
    assert len(subsets) == 14
    assert len(set(models.values())) == 14  # who it is shows


def test_byzantine_workers_without_an_attack_tell_the_truth() -> None:
    assert model_of(replace(BASE, byzantine=3)) == model_of(BASE)


def test_the_reply_order_matters() -> None:
    assert model_of(BASE) != model_of(replace(BASE, method="rsa:reply=updated"))


def test_declared_is_what_rules_are_told() -> None:
    # Krum with 10 workers and declared=7 has one neighbour left, with declared=8 none
    assert run(replace(BASE, method="krum", declared=7)).rounds == BASE.rounds
    with pytest.raises(InvalidInput, match=r"Krum needs n >= byzantine \+ 3; got n=10, byzantine=8"):
        run(replace(BASE, method="krum", declared=8))


class Notes:
    """An observer that writes everything down."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.rounds: list[int] = []
        self.evaluations: list[Evaluation] = []
        self.warnings: list[str] = []

    def start(self, spec: Spec, round: int) -> None:
        self.first = round

    def count(self, round: int) -> None:
        self.rounds.append(round)

    def show(self, evaluation: Evaluation) -> None:
        self.evaluations.append(evaluation)

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def test_an_observer_is_called_for_everything_once() -> None:
    notes = Notes()
    result = run(BASE, observer=notes)
    assert notes.first == 0
    assert notes.rounds == list(range(1, 7))
    assert notes.evaluations == result.history
    assert notes.warnings == []


def test_a_stop_is_heeded_after_the_round() -> None:
    notes = Notes()
    with pytest.raises(Interrupted, match="stopped after round 4") as raised:
        run(BASE, observer=notes, stopping=lambda: len(notes.rounds) >= 4)
    assert notes.rounds == [1, 2, 3, 4]
    assert raised.value.folder is None


def test_a_stop_in_the_last_round_comes_too_late() -> None:
    notes = Notes()
    result = run(BASE, observer=notes, stopping=lambda: len(notes.rounds) >= 6)
    assert result.rounds == 6
    assert [evaluation.round for evaluation in result.history] == [3, 6]


def test_a_data_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "own.npz"
    generator = np.random.default_rng(0)
    features = generator.normal(size=(40, 3))
    spec = Spec(data=str(path), workers=2, rounds=3)
    np.savez(path, x=features, y=features[:, 0] > 0)
    before = model_of(spec)
    np.savez(path, x=features, y=features[:, 0] < 0)
    assert model_of(spec) != before


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_data_of_ones_own(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"own{suffix}"
    generator = np.random.default_rng(0)
    features = generator.normal(size=(100, 2))
    labels = np.where(features[:, 0] > 0, 7, -3)  # any whole numbers are labels
    if suffix == ".npz":
        np.savez(path, x=features, y=labels)
    else:
        np.savetxt(path, np.column_stack([features, labels]), delimiter=",", header="a,b,label", comments="")
    for problem in ("softmax", "logistic"):
        result = run(Spec(data=str(path), workers=4, rounds=300, rate=1.0, problem=problem, method="sgd"))
        assert result.accuracy is not None
        assert result.accuracy > 0.9


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_however_few_the_samples_no_number_is_nan(count: int, tmp_path: Path) -> None:
    np.savez(tmp_path / "own.npz", x=np.eye(5)[:count], y=np.arange(count) % 2)
    result = run(Spec(data=str(tmp_path / "own.npz"), workers=1, rounds=2))
    assert result.accuracy is not None
    json.dumps(result.to_json(), allow_nan=False)


def test_the_folder_has_what_the_run_gave(tmp_path: Path) -> None:
    result = run(BASE, tmp_path / "run")
    assert result.folder == tmp_path / "run"
    assert np.load(tmp_path / "run" / "model.npy").tobytes() == result.model.tobytes()
    written = json.loads((tmp_path / "run" / "result.json").read_text())
    assert {key: value for key, value in written.items() if key not in ("of", "sha256")} == result.to_json()
    records = [json.loads(line) for line in (tmp_path / "run" / "records.jsonl").read_text().splitlines()]
    assert all(record.pop("seal") for record in records)
    assert records == result.to_json()["history"]
    assert Spec.read(tmp_path / "run" / "spec.toml") == result.spec
