"""Life in a script or a notebook: strings as folders, short texts, rich tables, charts, bars."""

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import holdfast as hf
from holdfast.runs.observers import RoundsBar, RunsBar
from holdfast.studies.table import Comparison

BASE = hf.Spec(data="digits", workers=6, rounds=6, eval_every=2)


@pytest.fixture(scope="module")
def result() -> hf.Result:
    return hf.run(BASE)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    base = replace(BASE, byzantine=1)
    return hf.compare(hf.grid(base, ["rsa", "median"], ["none", "sign-flip"], ["iid"], seed=[0, 1]), jobs=1)


def test_folders_may_be_strings(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    first = hf.run(BASE, out)
    assert first.folder == Path(out)
    assert hf.resume(out).model.tobytes() == first.model.tobytes()


def test_results_in_the_place_of_options_are_refused_at_once() -> None:
    with pytest.raises(hf.InvalidInput, match="norm must be a number >= 1"):
        hf.methods.Rsa(0.5, 0.001, 0.01)  # type: ignore[arg-type]
    with pytest.raises(hf.InvalidInput, match="messages must be full or bits"):
        hf.methods.Rsa(2, 0.001, 0.01)  # type: ignore[arg-type]


def test_a_problem_takes_the_labels_that_the_command_takes() -> None:
    generator = np.random.default_rng(0)
    labels = generator.choice([-1.0, 3.0, 7.0], 60)
    mine = hf.data.Dataset.split("mine", generator.normal(size=(60, 4)), labels)
    problem = hf.problems.Softmax.of(mine, hf.data.Iid(), workers=3)
    assert problem.outputs == 3
    same = replace(BASE, method="rsa", data=mine, workers=3, scale=1.0)
    assert hf.simulate(problem, "rsa", rounds=6, eval_every=2).history == hf.run(same).history


def test_a_result_shows_itself(result: hf.Result) -> None:
    assert len(repr(result)) < 120
    html = result._repr_html_()
    assert "<table" in html
    assert f"{result.accuracy:.3f}" in html
    chart = json.dumps(result.plot().to_dict())
    assert all(str(each.accuracy) in chart for each in result.history)


def test_a_comparison_is_a_table_and_its_results(compared: Comparison) -> None:
    assert len(compared) == 8
    assert [run.model.shape for run in compared] == [compared[0].model.shape] * 8
    rows = compared.rows()
    assert [(row["attack"], row["method"], row["seeds"]) for row in rows] == [
        (attack, method, [0, 1]) for attack in ("none", "sign-flip") for method in ("rsa", "median")
    ]
    first = [run.accuracy for run in compared if run.spec.method_name == "rsa" and run.spec.attack is None]
    assert rows[0]["accuracy"] == pytest.approx(np.mean(first))
    assert rows[0]["accuracy_error"] == pytest.approx(np.std(first, ddof=1) / np.sqrt(2))
    text = f"{rows[0]['accuracy']:.3f} ±{rows[0]['accuracy_error']:.3f}"
    assert text in str(compared)
    assert text.replace(" ", "\N{NO-BREAK SPACE}") in compared._repr_html_()
    assert repr(compared) == "Comparison(8 runs: rsa, median)"
    assert "concat" in compared.plot().to_dict()


def test_a_comparison_is_a_frame(compared: Comparison) -> None:
    pytest.importorskip("pandas", reason="a frame is one of pandas")
    frame = compared.frame()
    assert len(frame) == 4
    assert frame["method"].tolist() == ["rsa", "median"] * 2


def shown(file: StringIO) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", file.getvalue())


def test_a_bar_of_runs_says_what_is_running() -> None:
    file = StringIO()
    with RunsBar(2, Console(file=file, force_terminal=True, width=200)) as bar:
        bar.start(["a", "b", "c", "d"])
        bar.count("b")
        bar.progress.refresh()
        assert (bar.waiting, bar._running()) == (["a", "c", "d"], "a; c")
    assert "0/4" in shown(file)
    assert "1/4" in shown(file)
    assert "a; c" in shown(file)


def test_a_bar_of_rounds_watches_a_run(result: hf.Result) -> None:
    file = StringIO()
    with RoundsBar(Console(file=file, force_terminal=True, width=200)) as bar:
        watched = hf.run(BASE, observer=bar)
        bar.progress.refresh()
    assert watched.history == result.history
    assert f"accuracy {result.accuracy:.4f}" in shown(file)


def test_progress_is_one_word(capsys: pytest.CaptureFixture[str], result: hf.Result) -> None:
    assert hf.run(BASE, progress=True).history == result.history
    assert len(hf.compare([BASE], jobs=1, progress=True)) == 1
