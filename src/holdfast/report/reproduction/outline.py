"""What the report of a reproduction says, before it becomes HTML or Markdown."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.experiments.spec import data_text
from holdfast.report.pictures import Chart
from holdfast.report.reproduction.figure_charts import chart
from holdfast.report.reproduction.summaries import Grid, numbers, settings
from holdfast.reproduction.claims import Judged, Verdict
from holdfast.reproduction.findings import Findings

TITLE = "RSA, reproduced: every figure and every claim of its numerical tests"
SOURCE = (
    "Li, Xu, Chen, Giannakis, Ling: RSA: Byzantine-Robust Stochastic Aggregation Methods for Distributed Learning "
    "from Heterogeneous Datasets, AAAI 2019."
)
QUICK = (
    "This is a quick run: one seed and a fifth of the paper's iterations. It shows shapes; its verdicts are not those "
    "of a full run."
)


@dataclass(frozen=True)
class Section:
    """One figure of the paper, or one theorem."""

    name: str
    title: str
    place: str
    says: str
    chart: Chart
    numbers: Grid
    command: str
    settings: Grid | None = None
    judged: tuple[Judged, ...] = ()


@dataclass(frozen=True)
class Outline:
    """The whole report."""

    about: tuple[str, ...]
    """On what, with what and by which command it was made."""
    quick: bool
    command: str
    judged: tuple[Judged, ...]
    sections: tuple[Section, ...]

    @property
    def summary(self) -> str:
        """How many claims hold."""
        found = Counter(each.verdict for each in self.judged)
        return ", ".join(
            f"{found[verdict]} {_plural(verdict, found[verdict])}" for verdict in Verdict if found[verdict]
        )


def outline(
    findings: Sequence[Findings],
    judged: Sequence[Judged],
    theory: Sequence[Section],
    options: Sequence[str],
    about: Sequence[str],
) -> Outline:
    """Return the report of these findings and theorems; `options` are the flags that they were made with."""
    names = [*(each.figure.name for each in findings), *(["theory"] if theory else [])]
    return Outline(
        about=(*_runs(findings), *about, SOURCE),
        quick=any(each.figure.short for each in findings),
        command=_command(names, options),
        judged=tuple(judged),
        sections=(*(_section(each, judged, options) for each in findings), *theory),
    )


def _section(findings: Findings, judged: Sequence[Judged], options: Sequence[str]) -> Section:
    figure = findings.figure
    return Section(
        name=figure.name,
        title=figure.title,
        place=figure.place,
        says=figure.says,
        chart=chart(findings),
        numbers=numbers(findings),
        settings=settings(findings),
        judged=tuple(one for one in judged if one.claim.figures[0] == figure.name),
        command=_command([figure.name], options),
    )


def _runs(findings: Sequence[Findings]) -> list[str]:
    """Return what the curves rest on, told by the first of them."""
    curves = [each.panels[0].curves[0] for each in findings if each.figure.chart != "runtime"]
    return [
        f"{data_text(spec.data)}, {spec.rounds} rounds, seeds {[record.spec.seed for record in one.records]}"
        for one in curves[:1]
        for spec in (one.curve.spec,)
    ]


def _command(names: Sequence[str], options: Sequence[str]) -> str:
    return shlex.join(["holdfast", "reproduce", *names, *options])


def _plural(verdict: Verdict, number: int) -> str:
    if number == 1:
        return verdict.value
    return {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.UNTESTABLE: "not testable"}[verdict]
