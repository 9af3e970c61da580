"""The page of a run says what its folder says."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdfast.insight.inspection import Inspection, inspect
from holdfast.report.run_page import run_page
from holdfast.report.worker_table import HEAD, count_suspects, look, remarks, row, score_text
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.watching.opinion import Treatment

SPEC = Spec(data="digits", method="rsa", workers=6, byzantine=(2, 5), attack="sign-flip", rounds=40, eval_every=10)


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Inspection:
    folder = tmp_path_factory.mktemp("page") / "run"
    run(SPEC, folder)
    return inspect(folder)


def charts(page: str) -> list[Any]:
    return [json.loads(found) for found in re.findall(r'<script type="application/json">(.*?)</script>', page)]


def cells(page: str) -> list[list[str]]:
    """Return the text of the table, row by row."""
    table = page[page.index("<table") : page.index("</table>")]
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    return [[re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", found)] for found in rows]


def test_every_worker_has_a_row(inspected: Inspection) -> None:
    head, *rows = cells(run_page(inspected).html())
    assert tuple(head) == HEAD
    assert [found[:2] for found in rows] == [[str(i), "Byzantine" if i in (2, 5) else "honest"] for i in range(1, 7)]
    for each, found in zip(inspected.workers, rows, strict=True):
        assert tuple(found) == row(each)
        assert found[2] == ("-" if each.own is None else f"{each.own:.3f}")
        assert each.suspicion is not None
        assert found[4] == f"{each.suspicion.disagreement:.3f}"


def test_the_curves_hold_every_evaluation(inspected: Inspection) -> None:
    learned, _, apart, inner = charts(run_page(inspected).html())
    for panel, name in zip(
        (*learned["panels"], *inner["panels"]), ("accuracy", "loss", "variance", "distance"), strict=True
    ):
        assert panel["rows"] == [{"method": "rsa", "round": e.round, name: getattr(e, name)} for e in inspected.history]
    (messages,) = apart["panels"]
    shares = {(point["worker"], point["round"]): point["disagreement"] for point in messages["rows"]}
    assert shares == {
        (worker, evaluation.round): share
        for evaluation in inspected.history
        for worker, share in enumerate(evaluation.disagreement or (), start=1)
    }
    assert {point["worker"] for point in messages["rows"] if point["role"] == "Byzantine"} == {2, 5}


def test_what_was_not_recorded_is_not_drawn(inspected: Inspection) -> None:
    history = [replace(each, disagreement=None, twins=None) for each in inspected.history]
    workers = [replace(each, suspicion=None, own=None, master=None) for each in inspected.workers]
    page = run_page(replace(inspected, history=history, workers=workers, result={"diverged": None})).html()
    assert [chart["name"] for chart in charts(page)] == ["learning", "who-holds-what", "metrics"]
    assert "numbers are not compared" in page
    assert "own models were not measured" in page
    assert "Worker by worker" not in page, "a table of nothing"
    own = [replace(each, suspicion=None) for each in inspected.workers]
    assert cells(run_page(replace(inspected, history=history, workers=own)).html())[0] == [*HEAD[:4]]


def test_a_run_of_which_nothing_is_known_has_a_page(inspected: Inspection) -> None:
    workers = [replace(each, suspicion=None, own=None, master=None) for each in inspected.workers]
    page = run_page(replace(inspected, history=[], workers=workers, result=None)).html()
    assert [chart["name"] for chart in charts(page)] == ["who-holds-what"]
    assert "not over; resume it with: holdfast resume" in page
    assert remarks(workers) == []


def headline(inspection: Inspection) -> str:
    (found,) = re.findall("<h1>(.*?)</h1>", run_page(inspection).html())
    return str(found)


def test_the_headline_says_how_it_ended(inspected: Inspection) -> None:
    ended = f"{inspected.history[-1].accuracy:.3f}"
    against = ", while 2 of 6 workers attack (sign-flip)."
    assert headline(inspected) == f"rsa ends at {ended}{against}"
    assert headline(replace(inspected, result={"ceiling": 0.5})) == (
        f"rsa ends at {ended}{against} The ceiling is 0.500."
    )
    assert headline(replace(inspected, result={"diverged": 7})) == f"rsa diverged at round 7{against}"
    running = replace(inspected, result=None, history=inspected.history[:1])
    assert headline(running).startswith(f"Not over: rsa is at {inspected.history[0].accuracy:.3f} after round 10 of 40")
    alone = replace(inspected, spec=replace(inspected.spec, attack=None, byzantine=0))
    assert headline(alone) == f"rsa ends at {ended}, without an attack."
    other = [replace(each, accuracy=None, metrics={"r2": 0.2}) for each in inspected.history]
    regression = replace(inspected.spec, problem="least-squares")
    assert headline(replace(inspected, spec=regression, history=other)) == f"rsa ends at R² 0.2{against}"


def test_names_cannot_break_out(inspected: Inspection) -> None:
    evil = "</script><script>alert(1)</script>"
    page = run_page(replace(inspected, folder=Path(evil), spec=replace(inspected.spec, data=evil), result=None)).html()
    assert "<script>alert" not in page


def test_looks(inspected: Inspection) -> None:
    (first, *_) = inspected.workers
    assert first.suspicion is not None
    for suspected, copied, word in (
        (False, False, "ordinary"),
        (True, False, "suspect"),
        (False, True, "copy"),
        (True, True, "suspect, copy"),
    ):
        assert (
            look(replace(first, suspicion=replace(first.suspicion, suspected=suspected, copied=copied, judged=True)))
            == word
        )
    assert row(replace(first, suspicion=replace(first.suspicion, score=-0.04)))[5] == "0.0"


def test_one_page_tells_one_story_of_suspects_and_copies(inspected: Inspection) -> None:
    """All workers send the same message: none is suspect, and none is a copy of the others."""
    equal = [
        replace(each, suspicion=replace(each.suspicion, suspected=False, copied=True, judged=True))
        for each in inspected.workers
        if each.suspicion is not None
    ]
    said = [str(count_suspects(equal)), *remarks(equal)]
    assert said[0].startswith("By their messages alone, 0 of ")
    assert "copies" not in said[0].lower()
    count = f"{len(equal)} of {len(equal)}"
    assert f"Suspect by their messages: none. {count} workers send equal messages, which tells nothing" in said[-1]


@pytest.mark.parametrize(
    ("score", "text"), [(3.5004, "3.5004"), (3.4996, "3.4996"), (3.54, "3.54"), (3.5, "3.5"), (12.34, "12.3")]
)
def test_equal_texts_never_lie_on_both_sides_of_the_threshold(score: float, text: str) -> None:
    assert score_text(score) == text


def test_workers_left_out_for_the_same_reason_are_told_together(inspected: Inspection) -> None:
    one = Treatment(1.0, 0.3, 0.5, rounds=30, left_out=6, first=1, first_difference=0.6, first_limit=0.5)
    done = {2: one, 5: one, 6: replace(one, left_out=7)}
    workers = [replace(each, watched=done.get(each.worker, replace(one, left_out=0))) for each in inspected.workers]
    *_, first, second = remarks(workers)
    assert first.startswith("Workers 2, 5: left out in 6 of 30 rounds, first in round 1. ")
    assert second.startswith("Worker 6: left out in 7 of 30 rounds")


def test_a_run_that_diverged_does_not_blame_its_data(inspected: Inspection) -> None:
    ended = replace(inspected, history=[], result={"diverged": 1})
    assert ended.notes == ["No worker was judged by its messages: nothing was evaluated."]


def test_remarks_count_the_honest_ones_and_name_the_rest(inspected: Inspection) -> None:
    # own 0.5 and 1.0, x0 0.25 and 0.75: means 0.75 and 0.5
    one, two, *_ = inspected.workers
    assert one.suspicion is not None
    plain = replace(one.suspicion, suspected=False, copied=False, judged=True)
    workers = [
        replace(one, own=0.5, master=0.25, suspicion=replace(plain, copied=True)),
        replace(two, own=1.0, master=0.75, suspicion=replace(plain, suspected=True)),
    ]
    assert remarks(workers) == [
        "On the honest workers' own data their own models reach 0.7500, the master's 0.5000.",
        "Suspect by their messages: 2. Copies of each other, one of them perhaps honest: 1.",
    ]
    shared = [replace(each, own=0.5, master=0.5) for each in workers]
    assert remarks(shared)[0] == (
        "On the honest workers' own data the master's model, which all of them hold, reaches 0.5000."
    )
