"""The report of a reproduction: its sections and claims, as a page, as Markdown and as files."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup

from holdfast.files import write_atomic
from holdfast.report.drawing import Drawing
from holdfast.report.figure_charts import figure_chart
from holdfast.report.figure_tables import claims, number_table, settings_table, summary
from holdfast.report.page import Block, Command, Details, Group, Heading, Link, Page, Paragraph, write_report
from holdfast.report.text_table import TextTable
from holdfast.runs.folder.environment import versions
from holdfast.runs.spec_parts import data_text
from holdfast.studies.paper.claims.claim import Judged, Verdict, to_toml
from holdfast.studies.paper.figures import RSA_PAPER
from holdfast.studies.paper.findings import Findings

TITLE = "RSA, reproduced: every figure and every claim of its numerical tests"
OUTSIDE = "Outside yardsticks: what other papers claim, judged by criteria that were written before the runs"
QUICK = (
    "This is a quick run: one seed and a fifth of the paper's iterations. It shows shapes; its verdicts are not those "
    "of a full run."
)
PICTURES = "reproduction"
"""The folder of the pictures, beside the text."""
SIGNS = {Verdict.HOLDS: ("holds", "✓"), Verdict.FAILS: ("fails", "✗"), Verdict.UNTESTABLE: ("open", "?")}
"""Class and sign of a verdict's mark."""
PLURALS = {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.UNTESTABLE: "not testable"}
CLAIMS = ("verdict", "the paper says", "place", "measured: mean [least, most] over the seeds", "it holds if", "why")


@dataclass(frozen=True)
class Section:
    """One figure of the paper, or one theorem."""

    name: str
    title: str
    place: str
    says: str
    chart: Drawing
    numbers: TextTable
    command: str
    settings: TextTable | None = None
    judged: tuple[Judged, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """All sections and claims."""

    title: str
    about: tuple[str, ...]
    """Data, seeds, versions, machine and sources, one line each."""
    quick: bool
    command: str
    judged: tuple[Judged, ...]
    sections: tuple[Section, ...]

    @property
    def headline(self) -> str:
        """How many claims fail, and how many hold."""
        if not self.judged:
            return "No claim of the paper rests on these figures alone."
        found = Counter(each.verdict for each in self.judged)
        failing, holding, untestable = (found[each] for each in (Verdict.FAILS, Verdict.HOLDS, Verdict.UNTESTABLE))
        first = f"{failing} of {len(self.judged)} claims do not hold here" if failing else "No claim fails"
        return f"{first}; {holding} hold{f', {untestable} cannot be tested' if untestable else ''}."

    @property
    def summary(self) -> str:
        """How many claims have each verdict."""
        found = Counter(each.verdict for each in self.judged)
        return ", ".join(
            f"{count} {verdict.value if count == 1 else PLURALS[verdict]}"
            for verdict in Verdict
            if (count := found[verdict])
        )

    @property
    def claims_table(self) -> TextTable:
        """Every claim with its verdict, measurement, criterion and reason."""
        rows = [
            (str(each.verdict), each.claim.says, each.claim.place, each.measured, each.claim.criterion, each.why)
            for each in self.judged
        ]
        return TextTable(CLAIMS, rows, kind="text")

    def number(self, judged: Judged) -> int:
        """Return the number of a claim among all."""
        return self.judged.index(judged) + 1


def reproduction_of(
    findings: Sequence[Findings], judged: Sequence[Judged], theory: Sequence[Section], options: Sequence[str]
) -> Reproduction:
    """Return the report of these findings and theorems; `options` are the flags to repeat them with."""
    sources = dict.fromkeys(each.figure.source for each in findings)
    names = [*(each.figure.name for each in findings), *(["theory"] if theory else [])]
    return Reproduction(
        title=OUTSIDE if sources and RSA_PAPER not in sources else TITLE,
        about=(*_runs(findings), *_provenance(), *(sources or [RSA_PAPER])),
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
        chart=figure_chart(findings),
        numbers=number_table(findings),
        settings=settings_table(findings),
        judged=tuple(one for one in judged if one.claim.figures[0] == figure.name),
        command=_command([figure.name], options),
    )


def _runs(findings: Sequence[Findings]) -> list[str]:
    """Return data, rounds and seeds of the first curve."""
    curves = [each.panels[0].curves[0] for each in findings if each.figure.chart != "runtime"]
    return [
        f"{data_text(spec.data)}, {spec.rounds} rounds, seed{'s' if len(one.records) > 1 else ''} "
        + ", ".join(str(record.spec.seed) for record in one.records)
        for one in curves[:1]
        for spec in (one.curve.spec,)
    ]


def _provenance() -> list[str]:
    """Return the day, the versions and the machine, one line each."""
    found = versions()
    libraries = ", ".join(f"{name} {found[name]}" for name in ("numpy", "numba", "llvmlite"))
    return [
        f"{found['started'][:10]}, holdfast {found['holdfast']}, Python {found['python']}, {libraries}",
        f"{found['cpu']}, {os.cpu_count()} cores, {found['platform']}",
    ]


def _command(names: Sequence[str], options: Sequence[str]) -> str:
    return shlex.join(["holdfast", "reproduce", *names, *options])


def reproduction_page(report: Reproduction) -> Page:
    """Return the page."""
    failing = [each for each in report.judged if each.verdict is Verdict.FAILS]
    blocks: list[Block] = _scoreboard(report) if report.judged else []
    if failing:
        blocks += [Heading("What does not hold"), Group("claims", [_failing_claim(report, each) for each in failing])]
    blocks += [block for section in report.sections for block in _section_blocks(report, section)]
    blocks += [
        Heading("All claims, and how this was made"),
        Paragraph("To make all of it again:"),
        Command(report.command),
        Paragraph(Markup("<br>").join(report.about), "soft small"),
    ]
    if report.judged:
        blocks.append(Details(f"{len(report.judged)} claims: {report.summary}", [report.claims_table]))
    return Page(report.title, report.headline, [QUICK] if report.quick else [], blocks)


def _scoreboard(report: Reproduction) -> list[Block]:
    """Return a mark per claim, one row per section."""
    rows: list[Block] = []
    for section in report.sections:
        if section.judged:
            holding = sum(each.verdict is Verdict.HOLDS for each in section.judged)
            count = f"{holding} of {len(section.judged)} hold"
            marks = Group("marks", [_mark(report, each) for each in section.judged])
            rows += [Link(section.title, f"#{section.name}"), marks, Paragraph(count, "soft small")]
    legend = "✓ holds, ✗ does not hold, ? cannot be tested by a run. Criteria were fixed before the runs."
    return [Group("score", rows), Paragraph(legend, "soft small")]


def _mark(report: Reproduction, judged: Judged) -> Link:
    kind, sign = SIGNS[judged.verdict]
    hint = f"{judged.verdict}: {judged.claim.says}"
    return Link(sign, f"#claim-{report.number(judged)}", f"mark {kind}", hint)


def _failing_claim(report: Reproduction, judged: Judged) -> Group:
    claim = judged.claim
    place = Markup('<a href="#{}">{}</a>; it holds if {}').format(claim.figures[0], claim.place, claim.criterion)
    texts = [Paragraph(claim.says, "says"), Paragraph(judged.why), Paragraph(place, "soft small")]
    return Group("claim", [_mark(report, judged), Group("", texts)])


def _section_blocks(report: Reproduction, section: Section) -> list[Block]:
    """Return a section: chart and numbers, its claims beside them, settings folded."""
    beside = [
        Group(
            "claim",
            [
                _mark(report, each),
                Group(
                    "",
                    [Paragraph(each.claim.says, "says small"), Paragraph(each.measured or each.why, "soft small")],
                ),
            ],
            anchor=f"claim-{report.number(each)}",
        )
        for each in section.judged
    ]
    shown = Group("", [section.chart, section.numbers])
    return [
        Heading(section.title, anchor=section.name),
        Paragraph(f"{section.place}. The paper says: {section.says}", "soft"),
        Group("beside", [shown, Group("", beside)]) if beside else Group("alone", [shown]),
        Details("Settings and command", [*filter(None, [section.settings]), Command(section.command)]),
    ]


def reproduction_markdown(report: Reproduction) -> str:
    """Return the report as Markdown, with pictures beside it."""
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Reproduction) -> Iterator[str]:
    yield f"# {report.title}"
    if report.quick:
        yield f"**{QUICK}**"
    yield "\n".join(f"- {line}" for line in report.about)
    yield f"```\n{report.command}\n```"
    yield f"## {len(report.judged)} claims: {report.summary}"
    yield "Criteria were fixed before the runs."
    verdicts = [(row, 0) for row in range(len(report.judged))]
    yield replace(report.claims_table, best=verdicts).markdown()
    for section in report.sections:
        yield f"## {section.title}"
        yield f"![{section.title}]({PICTURES}/{section.name}.png)"
        yield f"**The paper says** ({section.place}): {section.says}"
        yield section.numbers.markdown()
        if section.settings:
            yield f"<details><summary>settings</summary>\n\n{section.settings.markdown()}\n\n</details>"
        yield f"```\n{section.command}\n```"


def write_reproduction(
    findings: Sequence[Findings],
    judged: Sequence[Judged],
    theory: Sequence[Section],
    out: Path,
    about: Mapping[str, object],
    options: Sequence[str],
) -> tuple[Reproduction, str]:
    """Write page, text, pictures, verdicts and results; return the report, and the results as JSON.

    `about` opens the results.
    """
    report = reproduction_of(findings, judged, theory, options)
    entries = {"figures": summary(findings), "claims": claims(report.judged)}
    results = json.dumps({**about, **entries}, allow_nan=False)
    pictures = (
        (f"{PICTURES}/{name}", picture)
        for section in report.sections
        for name, picture in section.chart.pictures(pdf=True)
    )
    records = (
        record for each in findings for panel in each.panels for found in panel.curves for record in found.records
    )
    runs = ((record.spec, record) for record in records)
    write_report(out, reproduction_page(report), results, pictures, runs=runs)
    write_atomic(out / "verdicts.toml", to_toml(report.judged).encode())
    write_atomic(out / "reproduction.md", reproduction_markdown(report).encode())
    return report, results
