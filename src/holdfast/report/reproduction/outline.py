"""What the report of a reproduction says, before it becomes HTML or Markdown."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.report.drawing import Drawing
from holdfast.report.reproduction.figure_charts import chart
from holdfast.report.reproduction.summaries import Grid, numbers, settings
from holdfast.runs.spec_parts import data_text
from holdfast.studies.paper.claims.claim import Judged, Verdict
from holdfast.studies.paper.figures import RSA_PAPER
from holdfast.studies.paper.findings import Findings

TITLE = "RSA, reproduced: every figure and every claim of its numerical tests"
OUTSIDE = "Outside yardsticks: what other papers claim, judged by criteria that were written before the runs"
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
    chart: Drawing
    numbers: Grid
    command: str
    settings: Grid | None = None
    judged: tuple[Judged, ...] = ()


@dataclass(frozen=True)
class Outline:
    """The whole report."""

    title: str
    about: tuple[str, ...]
    """On what, with what and by which command it was made."""
    quick: bool
    command: str
    judged: tuple[Judged, ...]
    sections: tuple[Section, ...]

    @property
    def headline(self) -> str:
        """What came of the claims, in a sentence; those that do not hold first."""
        if not self.judged:
            return "No claim of the paper rests on these figures alone."
        found = Counter(each.verdict for each in self.judged)
        failing, holding, open_ = (found[each] for each in (Verdict.FAILS, Verdict.HOLDS, Verdict.UNTESTABLE))
        first = f"{failing} of {len(self.judged)} claims do not hold here" if failing else "No claim fails"
        return f"{first}; {holding} hold{f', {open_} cannot be tested' if open_ else ''}."

    def beside(self, section: Section) -> list[tuple[int, Judged]]:
        """Return the claims that are shown with a figure, with their numbers among all."""
        return [(number, each) for number, each in enumerate(self.judged, start=1) if each in section.judged]

    def table(self) -> list[tuple[str, ...]]:
        """Return every claim with its verdict, what was measured, when it holds, and why it does or does not."""
        return [
            (str(each.verdict), each.claim.says, each.claim.place, each.measured, each.claim.criterion, each.why)
            for each in self.judged
        ]

    @property
    def failing(self) -> list[tuple[int, Judged]]:
        """The claims that do not hold, with their numbers."""
        return [(number, each) for number, each in enumerate(self.judged, start=1) if each.verdict is Verdict.FAILS]

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
    sources = dict.fromkeys(each.figure.source for each in findings)
    names = [*(each.figure.name for each in findings), *(["theory"] if theory else [])]
    return Outline(
        title=OUTSIDE if sources and RSA_PAPER not in sources else TITLE,
        about=(*_runs(findings), *about, *(sources or [RSA_PAPER])),
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
        f"{data_text(spec.data)}, {spec.rounds} rounds, seed{'s' if len(one.records) > 1 else ''} "
        + ", ".join(str(record.spec.seed) for record in one.records)
        for one in curves[:1]
        for spec in (one.curve.spec,)
    ]


def _command(names: Sequence[str], options: Sequence[str]) -> str:
    return shlex.join(["holdfast", "reproduce", *names, *options])


def _plural(verdict: Verdict, number: int) -> str:
    if number == 1:
        return verdict.value
    return {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.UNTESTABLE: "not testable"}[verdict]
