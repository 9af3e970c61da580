"""What a master that judges did is on record: who was left out, when, and why."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.cli import main
from holdfast.insight.inspection import inspect
from holdfast.report.run_page import run_page
from holdfast.report.worker_table import remarks
from holdfast.runs.observers import Interrupted
from holdfast.runs.records import Record
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

WATCHED = Spec(
    data="digits",
    partition="by-label",
    attack="negative-sum",
    byzantine=8,
    rounds=60,
    eval_every=20,
    checkpoint_every=7,
)
METHODS = ["watchful-rsa", "watchful-rsa:messages=bits", "watch+median"]


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupted_run_tells_the_same(method: str, tmp_path: Path) -> None:
    spec, rounds = replace(WATCHED, method=method), iter(range(1000))
    whole = run(spec)
    with pytest.raises(Interrupted):
        run(spec, tmp_path / "run", stopping=lambda: next(rounds) >= 33)
    again = resume(tmp_path / "run")
    assert again.history == whole.history
    assert again.model.tobytes() == whole.model.tobytes()
    assert inspect(tmp_path / "run").history == whole.history


@pytest.mark.parametrize(
    ("method", "attack"), [("watchful-rsa", "negative-sum"), ("watchful-rsa:messages=bits", "contrarian")]
)
def test_who_was_left_out_when_and_why(method: str, attack: str, tmp_path: Path) -> None:
    result = run(replace(WATCHED, method=method, attack=attack), tmp_path / "run")
    watched = result.history[-1].watched
    assert watched is not None
    honest, byzantine = watched[:12], watched[12:]
    assert result.honest_left_out == sum(each.left_out for each in honest) / (12 * 60) == 0
    assert all(each.rounds == 60 for each in watched)
    assert any(each.left_out for each in byzantine)
    for each in byzantine:
        if each.first is not None:
            assert each.first % 5 == 1  # judged every 5 rounds, which are counted from 1
            assert each.first_difference is not None
            assert each.first_limit is not None
            assert each.first_difference >= each.first_limit
    found = inspect(tmp_path / "run")
    lines = remarks(found.workers)
    first = next(each for each in found.workers if each.watched and each.watched.left_out)
    (told,) = (line for line in lines if line.startswith((f"Worker {first.worker}", f"Workers {first.worker}, ")))
    assert ": left out in " in told
    assert any(
        line.startswith("The master left out 0 of 12 honest workers (0.00% of their messages)") for line in lines
    )
    page = run_page(found).html()
    assert all(line in page for line in lines if "left out" in line)


def test_json_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(replace(WATCHED, method="watch+median"), tmp_path / "run")
    assert main(["inspect", str(tmp_path / "run"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["history"][-1]["watched"][0]["rounds"] == 60
    assert told["workers"][19]["watched"] == told["history"][-1]["watched"][19]
    assert result.to_json()["honest_left_out"] == result.honest_left_out
    record = Record.of(result)
    assert Record.read(json.loads(json.dumps(record.dump(), allow_nan=False)), record.spec) == record


def test_who_does_not_judge_says_nothing_of_it() -> None:
    result = run(replace(WATCHED, method="rsa"))
    assert result.history[-1].watched is None
    assert result.honest_left_out is None
    assert "watched" not in result.to_json()["history"][-1]
