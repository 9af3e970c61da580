"""The paper's figures drawn from findings."""

from collections.abc import Callable
from dataclasses import replace
from statistics import median

import altair as alt

from holdfast.methods import Rsa
from holdfast.report.axes import DECADES, fitted
from holdfast.report.colours import RSA, variable
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.report.reproduction.curves import accuracy, curve_strokes, norms, several, spread
from holdfast.report.reproduction.summaries import ITERATIONS
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.studies.paper.findings import Findings

EACH, TOTAL = "milliseconds per iteration", f"seconds for {ITERATIONS} iterations"
QUICK = "quick run: fewer iterations than the paper's"


def penalties(findings: Findings) -> Drawing:
    """Return the final accuracy over lambda: the mean of the seeds, and the extremes."""
    rows = [
        {"lambda": _penalty(found.curve.spec), "step size": require_number(found.curve.spec.rate)}
        | spread(found.accuracies)
        for panel in findings.panels
        for found in panel.curves
    ]
    axis = fitted("final top-1 accuracy", [row["min"] for row in rows], [row["max"] for row in rows], share=True)
    colour = variable(RSA)
    x = alt.X("lambda:Q", title="λ", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g", values=DECADES))
    y = alt.Y("mean:Q", title=axis.title, scale=alt.Scale(domain=[axis.low, axis.high], nice=False, zero=False))
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "min", "max")]
    base = alt.Chart(alt.NamedData(ROWS)).encode(x=x)
    line = base.mark_line(strokeWidth=2.2, color=colour).encode(y=y)
    bars = base.mark_rule(color=colour).encode(y=alt.Y("min:Q", title=""), y2="max:Q")
    dots = base.mark_point(filled=True, size=60, opacity=1, color=colour)
    dots = dots.encode(y=y, tooltip=["lambda:Q", "step size:Q", *numbers])
    chart = alt.LayerChart(layer=[line, bars, dots], height=240)
    says = "Bars: from the least to the most of the seeds." if several(findings) else ""
    return Drawing(findings.figure.name, (Panel(rows, chart),), says, 1)


def runtime(findings: Findings) -> Drawing:
    """Return the time of one iteration and of all: the median of the repeats, and the extremes."""
    halves = ((EACH, 1.0), (TOTAL, ITERATIONS / 1000))
    panels = tuple(_bars(findings, title, factor) for title, factor in halves)
    return Drawing(findings.figure.name, panels, "Lines: from the fastest to the slowest repeat.", columns=2)


DRAWN: dict[str, Callable[[Findings], Drawing]] = {
    "accuracy": accuracy,
    "runtime": runtime,
    "lambda": penalties,
    "norms": norms,
}


def chart(findings: Findings) -> Drawing:
    """Return the figure."""
    made = DRAWN[findings.figure.chart](findings)
    return replace(made, title=QUICK) if findings.figure.short else made


def _bars(findings: Findings, title: str, factor: float) -> Panel:
    """Return one bar per curve: its time in milliseconds, multiplied by a factor."""
    (panel,) = findings.panels
    times = {found.curve.label: [record.milliseconds for record in found.records] for found in panel.curves}
    rows = [
        {"curve": label, "what": title}
        | {"median": factor * median(each), "min": factor * min(each), "max": factor * max(each)}
        for label, each in times.items()
    ]
    numbers = [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("median", "min", "max")]
    room = 1.15 * factor * max(map(max, times.values()))  # for the number at the end of the longest bar
    look = curve_strokes(findings)
    colours = alt.Scale(domain=list(times), range=[variable(look[label].colour) for label in times])
    names = alt.Axis(labelColor=variable("ink"), domain=False, ticks=False)
    base = alt.Chart(alt.NamedData(ROWS)).encode(y=alt.Y("curve:N", title=None, sort=list(times), axis=names))
    bars = base.mark_bar(height=16).encode(
        x=alt.X("median:Q", title=title, scale=alt.Scale(domain=[0, room], nice=False), axis=alt.Axis(tickCount=4)),
        color=alt.Color("curve:N", scale=colours, legend=None),
        tooltip=["curve:N", *numbers],
    )
    extremes = base.mark_rule(color=variable("soft")).encode(x="min:Q", x2="max:Q")
    text = base.mark_text(align="left", dx=5).encode(x="max:Q", text=alt.Text("median:Q", format=".2f"))
    return Panel(rows, alt.LayerChart(layer=[bars, extremes, text], height=28 * len(times)))


def _penalty(spec: Spec) -> float:
    assert isinstance(spec.method, Rsa)  # the figure varies lambda
    return require_number(spec.method.penalty)
