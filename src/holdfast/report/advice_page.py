"""Advice as tables and as a page."""

import altair as alt
import numpy as np
from rich.table import Table

from holdfast.insight import advice_sentences as sentences
from holdfast.insight.advice import Advice
from holdfast.report.axes import logarithmic_ticks
from holdfast.report.colours import variable
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.report.rendering import render
from holdfast.report.tables import text_table

NORMS = (
    *("", "lambda_0, largest", "median", "recommended lambda", "alpha", "workers that agree"),
    "one Byzantine push",
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
    found = advice.guarantees.verdicts().items()
    return {_theorem(name): f"{verdict.why} (needs {verdict.needs})" for name, verdict in found}


def _theorem(name: str) -> str:
    return "the supplement's theorem" if name == "theorem-sqrt" else name.replace("theorem", "Theorem ")


def headline(advice: Advice) -> str:
    """Return what to begin with, and for how many of the workers it is enough, in one sentence."""
    norm = advice.chosen
    start = f"Begin with the l{norm.p:g} norm, lambda {norm.penalty:g} and alpha {norm.rate:g}"
    said = f"{start}: enough for {norm.agreeing} of {len(norm.asked)} honest workers to agree"
    if not sentences.minority(advice.spec.q, advice.spec.workers).holds:
        return (
            f"No method can promise anything: {advice.spec.q} of {advice.spec.workers} workers are Byzantine. {start}."
        )
    return f"{said}."


def unpromised(advice: Advice) -> list[str]:
    """Return how many theorems promise nothing here."""
    verdicts = advice.guarantees.verdicts()
    without = sum(not verdict.holds for verdict in verdicts.values())
    return [f"{without} of {len(verdicts)} theorems promise nothing here."] if without else []


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def worker_chart(advice: Advice) -> Drawing:
    """Return lambda_0 of every honest worker that asks for more than 0, with the recommended lambda across."""
    asked = zip(advice.honest, advice.chosen.asked.tolist(), strict=True)
    rows = [{"worker": worker, "lambda_0": value} for worker, value in asked if value > 0]
    values = [row["lambda_0"] for row in rows] + [advice.chosen.penalty]
    scale = alt.Scale(type="log", domain=[min(values) / 1.5, max(values) * 1.5], nice=False)
    ticks = alt.Axis(format="~g", values=logarithmic_ticks(min(values), max(values)))
    points = alt.Chart(alt.NamedData(ROWS)).mark_point(filled=True, size=70, color=variable("blue"), opacity=1)
    points = points.encode(
        x=alt.X(
            "worker:O",
            axis=alt.Axis(title="honest worker", labelAngle=0, labelOverlap=True),
            scale=alt.Scale(domain=advice.honest),
        ),
        y=alt.Y(
            "lambda_0:Q",
            title=f"lambda_0, l{advice.chosen.p:g}",
            scale=scale,
            axis=ticks,
        ),
        tooltip=["worker:O", alt.Tooltip("lambda_0:Q", format=".4g")],
    )
    chosen = [{"lambda": advice.chosen.penalty, "text": f"recommended lambda {advice.chosen.penalty:g}"}]
    base = alt.Chart(alt.InlineData(values=chosen)).encode(y=alt.Y("lambda:Q", title="", scale=scale))
    line = base.mark_rule(color=variable("ink"), strokeWidth=2, strokeDash=[6, 3])
    text = base.mark_text(align="left", dx=4, dy=-8, fontSize=11).encode(x=alt.value(0), text="text:N")
    says = "What each honest worker asks for (Theorem 1): it agrees with the others once lambda is as large."
    return Drawing("lambda0", (Panel(rows, alt.LayerChart(layer=[points, line, text], height=240)),), says, columns=1)


def advice_page(advice: Advice, title: str, command: str) -> str:
    """Return the whole page."""
    told = advice.explain()
    return render(
        "advice.html",
        title=title,
        headline=headline(advice),
        conclusions=[_sentence(told.pop("workers")), *unpromised(advice)],
        recommended=recommended(advice),
        run=command,
        caveat=CAVEAT,
        head=NORMS,
        norms=norm_rows(advice),
        asked=worker_chart(advice) if (advice.chosen.asked > 0).any() else None,
        promised=promised(advice),
        told=told,
        gaps=[(q, f"{gap:.3g}") for q, gap in advice.gaps().items()],
    )
