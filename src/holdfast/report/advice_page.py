"""Advice as tables and as a page."""

from collections.abc import Iterator
from html import escape

import altair as alt
import numpy as np
from rich import box
from rich.table import Table

from holdfast.advice import Advice
from holdfast.report.frame import document, drawing, table
from holdfast.report.pictures import Chart

NORMS = ("", "lambda_0, largest", "median", "recommended lambda", "alpha", "workers at most lambda", "push of a liar")
CAVEAT = (
    "The numbers are of these workers' data and of linear models. Recommendations are where to begin, not the best "
    "there is: holdfast tune searches around them."
)


def norm_rows(advice: Advice) -> list[tuple[str, ...]]:
    """Return what each norm asks for, a row each."""
    return [
        (
            f"l{norm.p:g}" + (" (recommended)" if norm is advice.chosen else ""),
            f"{norm.lambda0:.3g}",
            f"{np.median(norm.asked):.3g}",
            f"{norm.penalty:g}",
            f"{norm.rate:g}",
            f"{norm.agreeing} of {len(norm.asked)}",
            f"{norm.push:.3g}",
        )
        for norm in advice.norms
    ]


def recommended(advice: Advice) -> dict[str, str]:
    """Return the recommendations, each with its reason."""
    reasons = advice.reasons
    return {
        f"norm l{advice.chosen.p:g}": reasons["norm"],
        f"lambda {advice.chosen.penalty:g}": reasons["penalty"],
        f"alpha {advice.chosen.rate:g}": reasons["rate"],
    }


def norm_table(advice: Advice) -> Table:
    """Return the norms for a terminal."""
    made = Table(title="norms", box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for column, heading in enumerate(NORMS):
        made.add_column(heading, justify="left" if column == 0 else "right")
    for row in norm_rows(advice):
        made.add_row(*row)
    return made


def said(title: str, sentences: dict[str, str]) -> Table:
    """Return names and sentences for a terminal."""
    made = Table(title=title, box=None, title_justify="left", title_style="bold", show_header=False)
    made.add_column(no_wrap=True)
    made.add_column()
    for name, sentence in sentences.items():
        made.add_row(name, sentence)
    return made


def promised(advice: Advice) -> dict[str, str]:
    """Return each theorem's verdict at the recommended values."""
    return {name: f"{verdict.why} (needs {verdict.needs})" for name, verdict in advice.guarantees.verdicts().items()}


def worker_chart(advice: Advice) -> Chart:
    """Return lambda_0 of every regular worker that asks for more than 0, with the recommended lambda across."""
    asked = zip(advice.regular, advice.chosen.asked.tolist(), strict=True)
    rows = [{"worker": worker, "lambda_0": value} for worker, value in asked if value > 0]
    everyone = alt.Scale(domain=advice.regular)
    points = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("worker:O", axis=alt.Axis(title="regular worker", labelAngle=0), scale=everyone),
            y=alt.Y("lambda_0:Q", title=f"lambda_0, l{advice.chosen.p:g}", scale=alt.Scale(type="log", nice=True)),
            tooltip=["worker:O", alt.Tooltip("lambda_0:Q", format=".4g")],
        )
    )
    line = (
        alt.Chart(alt.InlineData(values=[{"lambda": advice.chosen.penalty}]))
        .mark_rule(color="#c8102e", strokeWidth=2)
        .encode(y="lambda:Q", tooltip=[alt.Tooltip("lambda:Q", title="recommended lambda")])
    )
    drawn: Chart = alt.layer(points, line).properties(width=max(26 * len(advice.regular), 200), height=220).to_dict()
    return drawn


def advice_page(advice: Advice, title: str, command: str) -> str:
    """Return the whole page."""
    return document(title, _parts(advice, command))


def _parts(advice: Advice, command: str) -> Iterator[str]:
    yield f"<p>{escape(advice.told()['workers'])}.</p><h2>Recommended</h2>"
    yield _sentences(recommended(advice))
    yield f'<pre><code>{escape(command)}</code></pre><p class="soft">{escape(CAVEAT)}</p>'
    yield "<h2>Norms</h2>" + table(map(escape, NORMS), (map(escape, row) for row in norm_rows(advice)))
    yield "<p>Each regular worker asks for a lambda_0 (Theorem 1); the line is the recommended lambda.</p>"
    yield drawing(worker_chart(advice))
    yield "<h2>What is promised, and what is not</h2>" + _sentences(promised(advice))
    yield _sentences({name: told for name, told in advice.told().items() if name != "workers"})
    if gaps := advice.gaps():
        yield "<h2>Theorem 2's gap over the number of liars</h2>"
        yield table(("q", "gap"), ((str(q), f"{gap:.3g}") for q, gap in gaps.items()))


def _sentences(sentences: dict[str, str]) -> str:
    return table(("", ""), ((escape(name), escape(sentence)) for name, sentence in sentences.items()), text=True)
