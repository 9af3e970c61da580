"""A metric is one function: records, tables, pages and progress lines follow."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.cli.reporter import describe
from holdfast.insight.inspection import inspect
from holdfast.report.run_page import run_page
from holdfast.runs.metrics import METRICS, Moment
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.comparison import compare

SPEC = Spec(data="digits", method="rsa", workers=5, rounds=20, eval_every=10)
DIVERGING = replace(SPEC, method="sgd", rate=1e30)


def farthest(moment: Moment) -> float:
    return float(moment.from_master.max() ** 0.5)


def test_an_added_metric_is_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "farthest", farthest)
    result = run(SPEC, tmp_path / "run")
    first, last = result.arrays()["farthest"]
    assert first > 0
    lines = (tmp_path / "run/records.jsonl").read_text().splitlines()
    assert [json.loads(line)["metrics"]["farthest"] for line in lines] == [first, last]
    assert describe(result.history[-1]).endswith(f"  farthest {last:.4f}")
    assert result.to_json()["farthest"] == last
    assert '<th scope="col">farthest</th>' in result._repr_html_()
    assert '"farthest": ' in run_page(inspect(tmp_path / "run")).html()
    assert result.plot().to_dict()["concat"][-1]["layer"][0]["encoding"]["y"]["field"] == "farthest"


def test_a_run_that_diverged_has_every_metric_without_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "farthest", farthest)
    learned, diverged = compare([replace(SPEC, method="sgd"), DIVERGING], jobs=1).rows()
    assert learned.keys() == diverged.keys()
    result = run(DIVERGING)
    assert result.diverged is not None
    assert result.to_json()["farthest"] is None
    assert "farthest" in result.arrays()


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_a_metric_without_a_finite_value_is_not_measured(
    value: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METRICS, "odd", lambda moment: value)
    result = run(SPEC, tmp_path / "run")
    assert result.diverged is None
    assert [evaluation.metrics for evaluation in result.history] == [{}, {}]


def test_small_numbers_keep_their_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "small", lambda moment: 0.00001234)
    assert describe(run(SPEC).history[-1]).endswith("  small 1.234e-05")
