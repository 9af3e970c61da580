"""`holdfast advise`: a summary, a page, one object."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast.cli import main, make_parser
from holdfast.cli.spec_flags import read_spec
from holdfast.insight.advice import advise
from holdfast.insight.theorems import find_guarantees
from holdfast.methods import Rsa
from holdfast.report.advice_page import lambda_chart
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec

KEYS = {
    *("data", "partition", "workers", "byzantine", "honest", "heterogeneity", "norms", "recommended"),
    *("optimum_gradient", "gap", "guarantees", "minority", "averaging", "told", "command"),
}


def advised(out: Path, capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    assert main(["advise", "--out", str(out), "--json", *argv]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1
    found = json.loads(printed.out)
    assert found == json.loads((out / "advice.json").read_text())
    assert found.keys() == KEYS
    return found


def test_by_label_is_more_heterogeneous_than_iid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    iid, by_label = (
        advised(tmp_path, capsys, "--data", "digits", "--workers", "10", "--partition", partition)
        for partition in ("iid", "by-label")
    )
    assert [found["heterogeneity"]["degree"] for found in (iid, by_label)] == ["alike", "very different"]
    assert 0.5 < iid["heterogeneity"]["excess"] < 2
    assert by_label["heterogeneity"]["excess"] > 50
    for measure in ("zeta2", "relative", "at_start"):
        assert iid["heterogeneity"][measure] < by_label["heterogeneity"][measure]
    assert iid["norms"]["l1"]["lambda0"] < by_label["norms"]["l1"]["lambda0"]
    assert iid["averaging"]["holds"]
    assert len(iid["heterogeneity"]["per_worker"]) == 10


def test_it_recommends_what_the_rule_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("--data", "digits", "--workers", "10", "--byzantine", "2")
    found = advised(tmp_path, capsys, *argv)
    told = read_spec(make_parser().parse_args(shlex.split(found["command"])[1:]))
    best = found["recommended"]
    assert isinstance(told.method, Rsa)
    given = Spec(data="digits", workers=10, byzantine=2, method=Rsa(best["norm"], best["penalty"]), rate=best["rate"])
    assert told == replace(given, attack="sign-flip"), "a command with Byzantine workers that do nothing would mislead"
    rule = resolve_auto(fill_defaults(replace(given, method=replace(told.method, penalty="auto"), rate="auto")))
    assert (rule.method, rule.rate) == (told.method.resolve(), told.rate)
    assert best["why"].keys() == {"norm", "penalty", "rate"}
    for norm in found["norms"].values():
        assert norm["lambda0"] == max(norm["lambda0_per_worker"])
        assert norm["agreeing"] == sum(asked <= norm["penalty"] for asked in norm["lambda0_per_worker"])
    same = find_guarantees(told)
    assert found["norms"][f"l{told.method.norm:g}"]["lambda0"] == same.lambda0
    assert found["guarantees"] == json.loads(json.dumps(same.to_json()["guarantees"]))


def test_it_says_plainly_where_nothing_is_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--data", "digits", "--workers", "4", "--byzantine", "2", "--out", str(tmp_path)]
    assert main(["advise", *argv]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "no guarantee: q = 2 is not fewer than half of m = 4" in printed
    assert "no guarantee: Theorem 2 needs mu_i > 0 for every worker and the master; here mu_1 = 0" in printed
    page = (tmp_path / "advice.html").read_text()
    assert page.count("no guarantee") >= 5
    assert 'class="chart ' in page


def test_strongly_convex_losses_have_a_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(300, 2))
    np.savez(tmp_path / "own.npz", x=features, y=features @ [3.0, -2.0] + 1 + generator.normal(size=300))
    found = advised(
        tmp_path,
        capsys,
        *("--data", str(tmp_path / "own.npz"), "--problem", "least-squares", "--workers", "7", "--byzantine", "2"),
    )
    gap = found["gap"]
    assert gap["q"] == [0, 1, 2, 3]  # fewer than half of 7
    assert gap["gap"] == pytest.approx([q**2 * gap["gap"][1] for q in range(4)])  # quadratic in q
    assert "Theorem 2 with its own step size" in found["told"]["gap"]
    assert "gap over the number of Byzantine workers" in (tmp_path / "advice.html").read_text()


def test_the_chart_can_be_drawn() -> None:
    chart = lambda_chart(advise(Spec(data="digits", workers=4, byzantine=1)))
    assert all(picture for _, picture in chart.pictures(pdf=True))


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["--partition", "by-lable"], "unknown partition 'by-lable' (did you mean 'by-label'?)"),
        (["--workers", "0"], "workers must be a whole number >= 1; got '0'"),
        (["--byzantine", "20"], "byzantine must be less than workers=20; got 20"),
        (["--schedule", "theorem2"], "rate auto is for the schedules"),
        (["--norm", "2"], "unknown flag '--norm'"),
        (["--method", "krum"], "unknown flag '--method'"),
        (["--liars", "2"], "--liars is called --byzantine now: write --byzantine 2"),
    ],
)
def test_bad_input_is_one_line(
    argv: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", "--data", "digits", "--out", str(tmp_path / "out"), *argv]) == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1
