"""Advice as tables and as a page."""

import altair as alt
import numpy as np

from holdfast.insight import advice_sentences as sentences
from holdfast.insight.advice import Advice
from holdfast.report.axes import logarithmic_ticks
from holdfast.report.colours import variable
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.report.page import Command, Details, Facts, Heading, Page, Paragraph
from holdfast.report.text_table import TextTable

NORMS = (
    *("", "lambda_0, largest", "median", "recommended lambda", "alpha", "workers that agree"),
    "one Byzantine push",
)
CAVEAT = (
    "The numbers hold for these workers' data and for linear models. Recommendations are where to begin, not the best "
    "values: holdfast tune searches around them."
)


def norm_table(advice: Advice) -> TextTable:
    """Return what each norm asks for, one row per norm."""
    rows = [
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
    return TextTable(NORMS, rows)


def recommendations(advice: Advice) -> Facts:
    """Return the recommended values, each with its reason."""
    norm, reasons = advice.chosen, advice.reasons
    return Facts(
        {
            f"norm l{norm.p:g}": reasons["norm"],
            f"lambda {norm.penalty:g}": reasons["penalty"],
            f"alpha {norm.rate:g}": reasons["rate"],
        }
    )


def guarantees(advice: Advice) -> Facts:
    """Return each theorem's verdict at the recommended values."""
    verdicts = advice.guarantees.verdicts().items()
    return Facts({_theorem(name): f"{verdict.why} (needs {verdict.needs})" for name, verdict in verdicts})


def _theorem(name: str) -> str:
    return "the supplement's theorem" if name == "theorem-sqrt" else name.replace("theorem", "Theorem ")


def headline(advice: Advice) -> str:
    """Return the values to begin with, and for how many workers they suffice."""
    norm, q, workers = advice.chosen, advice.spec.q, advice.spec.workers
    start = f"Begin with the l{norm.p:g} norm, lambda {norm.penalty:g} and alpha {norm.rate:g}"
    if not sentences.minority(q, workers).holds:
        return f"No method can promise anything: {q} of {workers} workers are Byzantine. {start}."
    return f"{start}. With these values, {norm.agreeing} of {len(norm.asked)} honest workers agree."


def missing_guarantees(advice: Advice) -> list[str]:
    """Return how many theorems promise nothing here, if any."""
    verdicts = advice.guarantees.verdicts()
    without = sum(not verdict.holds for verdict in verdicts.values())
    return [f"{without} of {len(verdicts)} theorems promise nothing here."] if without else []


def lambda_chart(advice: Advice) -> Drawing:
    """Return lambda_0 of every honest worker that asks for more than 0, and the recommended lambda as a line."""
    norm = advice.chosen
    asked = zip(advice.honest, norm.asked.tolist(), strict=True)
    rows = [{"worker": worker, "lambda_0": value} for worker, value in asked if value > 0]
    values = [row["lambda_0"] for row in rows] + [norm.penalty]
    scale = alt.Scale(type="log", domain=[min(values) / 1.5, max(values) * 1.5], nice=False)
    ticks = alt.Axis(format="~g", values=logarithmic_ticks(min(values), max(values)))
    points = alt.Chart(alt.NamedData(ROWS)).mark_point(filled=True, size=70, color=variable("blue"), opacity=1)
    points = points.encode(
        x=alt.X(
            "worker:O",
            axis=alt.Axis(title="honest worker", labelAngle=0, labelOverlap=True),
            scale=alt.Scale(domain=advice.honest),
        ),
        y=alt.Y("lambda_0:Q", title=f"lambda_0, l{norm.p:g}", scale=scale, axis=ticks),
        tooltip=["worker:O", alt.Tooltip("lambda_0:Q", format=".4g")],
    )
    chosen = [{"lambda": norm.penalty, "text": f"recommended lambda {norm.penalty:g}"}]
    base = alt.Chart(alt.InlineData(values=chosen)).encode(y=alt.Y("lambda:Q", title="", scale=scale))
    line = base.mark_rule(color=variable("ink"), strokeWidth=2, strokeDash=[6, 3])
    text = base.mark_text(align="left", dx=4, dy=-8, fontSize=11).encode(x=alt.value(0), text="text:N")
    says = "The least lambda with which each honest worker agrees with the others (Theorem 1)."
    return Drawing("lambda0", (Panel(rows, alt.LayerChart(layer=[points, line, text], height=240)),), says, columns=1)


def advice_page(advice: Advice, title: str, command: str) -> Page:
    """Return the page."""
    topics = advice.explain()
    workers = topics.pop("workers")
    gaps = [(str(q), f"{gap:.3g}") for q, gap in advice.gaps().items()]
    gap_table = Details("Theorem 2's gap over the number of Byzantine workers", [TextTable(["q", "gap"], gaps)])
    blocks = (
        Command(command),
        *([lambda_chart(advice)] if (advice.chosen.asked > 0).any() else []),
        Heading("Why"),
        recommendations(advice),
        Paragraph(CAVEAT, "soft"),
        Heading("Norms"),
        norm_table(advice),
        Heading("What is promised, and what is not"),
        guarantees(advice),
        Details("What that means here", [Facts(topics)]),
        *([gap_table] if gaps else []),
    )
    conclusions = [f"{workers[:1].upper()}{workers[1:]}.", *missing_guarantees(advice)]
    return Page(title, headline(advice), conclusions, blocks)
