"""A run that leaves the finite numbers says so, with the round, and never prints NaN."""

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.cli import main
from holdfast.methods import Rsa
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from strict_json import strict

POISONED = Spec(data="digits", method="sgd", attack="infinite", byzantine=1, rounds=10, eval_every=5)
# the largest curvature of this problem is far above 2 / rate, so every step multiplies the error
RUNAWAY = Spec(data="digits", problem="least-squares", method="sgd", rate=1.0, schedule="constant", rounds=200)

NOT_A_NUMBER = re.compile(r"\b(nan|inf|infinity)\b", re.IGNORECASE)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_plain_sgd_diverges_at_the_first_infinity(dtype: Any) -> None:
    result = run(replace(POISONED, dtype=dtype))
    assert (result.diverged, result.rounds) == (1, 1)
    assert (result.accuracy, result.last, result.history) == (None, None, [])
    told = result.to_json()
    assert [told[key] for key in ("accuracy", "loss", "variance", "distance")] == [None] * 4


@pytest.mark.parametrize("method", ["sgd", "rsa", "median"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_far_too_large_a_rate_diverges_with_the_round_named(method: str, dtype: Any) -> None:
    spec = replace(RUNAWAY, method=method, dtype=dtype, eval_every=2, rounds=400)
    result = run(spec)
    assert result.diverged is not None
    assert 1 < result.diverged < spec.rounds
    assert result.rounds == result.diverged
    assert all(evaluation.round < result.diverged for evaluation in result.history)
    assert all(np.isfinite([e.loss, e.variance, e.distance]).all() for e in result.history)
    assert result.history, "it was finite at first"


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, float("inf")])
@pytest.mark.parametrize("problem", ["softmax", "logistic", "least-squares"])
def test_no_norm_and_no_problem_warns_on_the_way_out(norm: float, problem: str, tmp_path: Path) -> None:
    features = np.random.default_rng(0).normal(size=(40, 3))
    np.savez(tmp_path / "own.npz", x=features, y=features[:, 0] > 0)
    spec = Spec(
        data=str(tmp_path / "own.npz"),
        workers=4,
        problem=problem,
        method=Rsa(norm=norm),
        schedule="constant",
        rounds=30,
    )
    for rate, scale in product((1e10, 1e30, 1e37), (1.0, 1e5, 1e20)):
        result = run(replace(spec, rate=rate, scale=scale, eval_every=1))
        json.dumps(result.to_json(), allow_nan=False)
        assert result.diverged is not None or np.isfinite(result.model).all()


def test_the_round_is_the_first_that_is_not_finite() -> None:
    result = run(replace(RUNAWAY, eval_every=200))
    assert result.diverged is not None
    before = run(replace(RUNAWAY, rounds=result.diverged - 1, eval_every=200))
    assert not np.isfinite(result.model).all()
    assert np.isfinite(before.model).all()


def test_a_worker_that_runs_away_is_seen_though_the_master_is_finite() -> None:
    result = run(replace(RUNAWAY, method="rsa", eval_every=10))
    assert np.isfinite(result.model).all()  # an l1 master takes bounded steps
    assert result.diverged is not None
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize(
    "argv",
    [
        ["--method", "sgd", "--attack", "infinite", "--byzantine", "1", "--rounds", "10"],
        ["--method", "sgd", "--problem", "least-squares", "--rate", "1", "--schedule", "constant", "--rounds", "200"],
        ["--problem", "least-squares", "--rate", "1", "--schedule", "constant", "--rounds", "200"],
    ],
    ids=["infinite", "sgd", "rsa"],
)
def test_the_command_says_diverged_and_nothing_says_nan(
    argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    status = main(["run", "--data", "digits", *argv, "--eval-every", "20", "--out", str(out), "--json"])
    printed = capsys.readouterr()
    assert status == 0
    result = strict(printed.out)
    assert result["accuracy"] is None
    assert result["loss"] is None
    assert result["diverged"] == result["rounds"] >= 1
    assert f"diverged at round {result['diverged']}" in printed.err
    assert result.items() <= strict((out / "result.json").read_text()).items()
    records = out / "records.jsonl"
    lines = records.read_text().splitlines() if records.exists() else []
    assert [{**strict(line), "seal": ""} for line in lines] == [{**line, "seal": ""} for line in result["history"]]
    for text in (printed.out, printed.err, (out / "result.json").read_text(), *lines):
        assert not NOT_A_NUMBER.search(text.replace(str(out), ""))


@pytest.mark.parametrize("spec", [POISONED, replace(RUNAWAY, eval_every=5, checkpoint_every=3)], ids=["a1", "rate"])
def test_a_diverged_run_resumes_to_the_same_end(spec: Spec, tmp_path: Path) -> None:
    first = run(spec, tmp_path / "run")
    records = (tmp_path / "run" / "records.jsonl").read_bytes() if first.history else b""
    again = resume(tmp_path / "run")
    assert (again.diverged, again.rounds) == (first.diverged, first.rounds)
    assert again.history == first.history
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == records
