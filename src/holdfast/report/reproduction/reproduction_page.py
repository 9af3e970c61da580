"""The report of a reproduction as one HTML file."""

from collections.abc import Iterable, Iterator
from html import escape

from holdfast.report.frame import document, drawing, table
from holdfast.report.reproduction.outline import QUICK, TITLE, Outline, Section
from holdfast.report.reproduction.summaries import Grid
from holdfast.reproduction.claims import Judged

CLAIMS = ("verdict", "the paper says", "measured: mean [least, most] over the seeds", "it holds if", "why")


def reproduction_page(report: Outline) -> str:
    """Return the whole page."""
    return document(TITLE, _parts(report))


def _parts(report: Outline) -> Iterator[str]:
    if report.quick:
        yield f'<p class="notice"><strong>{escape(QUICK)}</strong></p>'
    yield f'<p class="soft">{"<br>".join(map(escape, report.about))}</p>'
    yield f"<h2>{len(report.judged)} claims: {escape(report.summary)}</h2>"
    yield _claims(report.judged)
    yield f"<p>All of it again:</p><pre><code>{escape(report.command)}</code></pre>"
    for section in report.sections:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f'<h2 id="{section.name}">{escape(section.title)}</h2>'
    yield f'<p class="soft">{escape(section.place)}</p>'
    yield drawing(section.chart)
    yield f"<p><strong>The paper says:</strong> {escape(section.says)}</p>"
    yield f"<p><strong>Measured:</strong></p>{_grid(section.numbers)}"
    verdicts = "".join(f"<li>{_verdict(each)}: {escape(each.claim.says)}</li>" for each in section.judged)
    yield f"<ul>{verdicts}</ul>" if verdicts else ""
    if section.settings:
        yield f"<details><summary>settings</summary>{_grid(section.settings)}</details>"
    yield f"<pre><code>{escape(section.command)}</code></pre>"


def _claims(judged: Iterable[Judged]) -> str:
    rows = (
        (
            _verdict(each),
            f"{escape(each.claim.says)}<br>{_link(each)}",
            escape(each.measured),
            escape(each.claim.criterion),
            escape(each.why),
        )
        for each in judged
    )
    return table(CLAIMS, rows, text=True)


def _link(judged: Judged) -> str:
    return f'<a class="soft" href="#{judged.claim.figures[0]}">{escape(judged.claim.place)}</a>'


def _verdict(judged: Judged) -> str:
    return f'<span class="{judged.verdict.replace(" ", "-")}">{escape(judged.verdict)}</span>'


def _grid(grid: Grid) -> str:
    return table(map(escape, grid.head), (map(escape, row) for row in grid.rows))
