"""The paper's figures drawn from findings: one Vega-Lite chart each."""

from collections.abc import Callable
from statistics import median
from typing import Any

import altair as alt

from holdfast.experiments.spec import Spec, require_number
from holdfast.methods import Rsa
from holdfast.report.colours import RSA, colour_and_dash
from holdfast.report.pictures import Chart
from holdfast.report.reproduction.curves import DECADES, accuracy, curve_strokes, norms, spread
from holdfast.report.reproduction.summaries import ITERATIONS
from holdfast.reproduction.findings import Findings

Layers = alt.LayerChart | alt.FacetChart
RULE = "#333"
EACH, TOTAL = "milliseconds per iteration", f"seconds for {ITERATIONS} iterations"


def penalties(findings: Findings) -> Layers:
    """Return the final accuracy over lambda: the mean of the seeds, and the extremes."""
    points = [
        spread(found.accuracies)
        | {
            "lambda": _penalty(found.curve.spec),
            "step size": require_number(found.curve.spec.rate),
        }
        for panel in findings.panels
        for found in panel.curves
    ]
    x = alt.X("lambda:Q", title="λ", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g", values=DECADES))
    y = alt.Y("mean:Q", title="final top-1 accuracy", scale=alt.Scale(zero=False))
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "min", "max")]
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x)
    line = base.mark_line(strokeWidth=1.8, color=RSA).encode(y=y)
    bars = base.mark_errorbar(ticks=True, color=RSA).encode(y=alt.Y("min:Q", title=""), y2="max:Q")
    dots = base.mark_point(filled=True, size=50, opacity=1, color=RSA)
    dots = dots.encode(y=y, tooltip=["lambda:Q", "step size:Q", *numbers])
    return alt.layer(line, bars, dots).properties(width=360, height=220)


def runtime(findings: Findings) -> alt.HConcatChart:
    """Return the time of one iteration and of all: the median of the repeats, and the extremes."""
    halves = ((EACH, 1.0), (TOTAL, ITERATIONS / 1000))
    chart: alt.HConcatChart = alt.hconcat(*(_bars(findings, title, factor) for title, factor in halves))
    return chart


DRAWN: dict[str, Callable[[Findings], Any]] = {
    "accuracy": accuracy,
    "runtime": runtime,
    "lambda": penalties,
    "norms": norms,
}


def chart(findings: Findings) -> Chart:
    """Return the figure as Vega-Lite, in the colours of the page around it."""
    made = DRAWN[findings.figure.chart](findings)
    if findings.figure.short:
        made = made.properties(title="quick run: fewer iterations than the paper's")
    written: Chart = made.to_dict()
    return written


def _bars(findings: Findings, title: str, factor: float) -> Layers:
    """Return one bar per curve: its time in milliseconds, multiplied by a factor."""
    (panel,) = findings.panels
    times = {found.curve.label: [record.milliseconds for record in found.records] for found in panel.curves}
    rows = [
        {"curve": label, "median": factor * median(each), "min": factor * min(each), "max": factor * max(each)}
        for label, each in times.items()
    ]
    numbers = [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("median", "min", "max")]
    room = 1.15 * factor * max(map(max, times.values()))  # for the number at the end of the longest bar
    colour, _ = colour_and_dash("curve", curve_strokes(findings))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=alt.Y("curve:N", title=None, sort=list(times)))
    bars = base.mark_bar(height=18).encode(
        x=alt.X("median:Q", title=title, scale=alt.Scale(domain=[0, room], nice=False)),
        color=colour.legend(None),
        tooltip=["curve:N", *numbers],
    )
    extremes = base.mark_rule(color=RULE).encode(x="min:Q", x2="max:Q")
    text = base.mark_text(align="left", dx=5, fontSize=11).encode(x="max:Q", text=alt.Text("median:Q", format=".2f"))
    return alt.layer(bars, extremes, text).properties(width=260, height=170)


def _penalty(spec: Spec) -> float:
    assert isinstance(spec.method, Rsa)  # the figure varies lambda
    return require_number(spec.method.penalty)
