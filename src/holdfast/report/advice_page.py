"""Advice as tables and as a page."""

import altair as alt
import numpy as np
from rich.table import Table

from holdfast.advice import Advice
from holdfast.report.colours import ALARM
from holdfast.report.pictures import Chart
from holdfast.report.rendering import render
from holdfast.report.tables import text_table

NORMS = (
    *("", "lambda_0, largest", "median", "recommended lambda", "alpha", "workers at most lambda"),
    "push of one Byzantine worker",
)
CAVEAT = (
    "The numbers are of these workers' data and of linear models. Recommendations are where to begin, not the best "
    "there is: holdfast tune searches around them."
)


def norm_rows(advice: Advice) -> list[tuple[str, ...]]:
    """Return what each norm asks for, one row per norm."""
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
    return text_table(NORMS, norm_rows(advice), "norms")


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
    """Return lambda_0 of every honest worker that asks for more than 0, with the recommended lambda across."""
    asked = zip(advice.honest, advice.chosen.asked.tolist(), strict=True)
    rows = [{"worker": worker, "lambda_0": value} for worker, value in asked if value > 0]
    everyone = alt.Scale(domain=advice.honest)
    points = alt.Chart(alt.InlineData(values=rows)).mark_point(filled=True, size=60)
    points = points.encode(
        x=alt.X("worker:O", axis=alt.Axis(title="honest worker", labelAngle=0), scale=everyone),
        y=alt.Y("lambda_0:Q", title=f"lambda_0, l{advice.chosen.p:g}", scale=alt.Scale(type="log", nice=True)),
        tooltip=["worker:O", alt.Tooltip("lambda_0:Q", format=".4g")],
    )
    line = alt.Chart(alt.InlineData(values=[{"lambda": advice.chosen.penalty}])).mark_rule(color=ALARM, strokeWidth=2)
    line = line.encode(y="lambda:Q", tooltip=[alt.Tooltip("lambda:Q", title="recommended lambda")])
    drawn: Chart = alt.layer(points, line).properties(width=max(26 * len(advice.honest), 200), height=220).to_dict()
    return drawn


def advice_page(advice: Advice, title: str, command: str) -> str:
    """Return the whole page."""
    told = advice.told()
    return render(
        "advice.html",
        title=title,
        workers=told.pop("workers"),
        recommended=recommended(advice),
        run=command,
        caveat=CAVEAT,
        head=NORMS,
        norms=norm_rows(advice),
        asked=worker_chart(advice),
        promised=promised(advice),
        told=told,
        gaps=[(q, f"{gap:.3g}") for q, gap in advice.gaps().items()],
    )
