"""Names are text on every page, whatever they contain."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import altair as alt
import pytest

from holdfast.insight.advice import advise
from holdfast.insight.inspection import inspect
from holdfast.report.advice_page import advice_page
from holdfast.report.comparison_page import comparison_page
from holdfast.report.drawing import Drawing, Panel
from holdfast.report.reproduction_page import Reproduction, Section, reproduction_page
from holdfast.report.run_page import run_page
from holdfast.report.text_table import TextTable
from holdfast.report.tuning_page import tuning_page
from holdfast.runs.records import Record
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.halving import Rung, Trial
from holdfast.studies.paper.claims.claim import Claim, Judged, Verdict
from holdfast.studies.tuning import Outcome

EVIL = '</script><script>alert("1")</script>'
SPEC = Spec(data="digits", workers=4, byzantine=1, attack="sign-flip", rounds=2, method="rsa:penalty=0.1", rate=0.001)


def comparison(_: Path) -> str:
    result = run(SPEC)
    return comparison_page(f"rsa on {EVIL}", [replace(result, spec=replace(result.spec, data=EVIL))]).html()


def single_run(folder: Path) -> str:
    run(SPEC, folder / "run")
    found = inspect(folder / "run")
    return run_page(replace(found, spec=replace(found.spec, data=EVIL), folder=Path(EVIL), result=None)).html()


def advice(_: Path) -> str:
    return advice_page(advise(SPEC), f"{EVIL}: advice", f"holdfast run --data {EVIL}").html()


def tuning(_: Path) -> str:
    named = replace(SPEC, data=EVIL)
    rung = Rung(2, (Trial(named, 0.5),))
    outcome = Outcome(named, (named,), (rung,), (10, 2), Record(named, (), 2, 1, None, 1.0, 0.1))
    return tuning_page(f"rsa on {EVIL}, tuned", outcome, f"holdfast run --data {EVIL}").html()


def reproduction(_: Path) -> str:
    judged = Judged(Claim(EVIL, (EVIL,), EVIL, EVIL, EVIL, None), Verdict.HOLDS, EVIL, EVIL)
    grid = TextTable((EVIL,), ((EVIL,),))
    drawing = Drawing(EVIL, (Panel([{EVIL: EVIL}], alt.LayerChart(layer=[], title=EVIL)),), EVIL)
    section = Section(EVIL, EVIL, EVIL, EVIL, drawing, grid, EVIL, grid, (judged,))
    return reproduction_page(Reproduction(EVIL, (EVIL, EVIL), True, EVIL, (judged,), (section,))).html()


@pytest.mark.parametrize("page", [comparison, single_run, advice, tuning, reproduction])
def test_names_stay_text(page: Callable[[Path], str], tmp_path: Path) -> None:
    written = page(tmp_path)
    assert "alert" in written
    assert "<script>alert" not in written
    assert "&lt;/script&gt;&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;" in written
    body, drawing = written.split('<script type="module">')
    assert drawing.count("</script>") == 1
    assert body.count("<script") == body.count('class="chart ') == body.count("</script>")
