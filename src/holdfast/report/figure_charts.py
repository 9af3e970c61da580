"""The paper's figures, drawn from findings: lines are means over the seeds, bands their extremes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean, median

import altair as alt

from holdfast.report.axes import DECADES, Axis, fit_axis
from holdfast.report.colours import RSA, Stroke, strokes, variable
from holdfast.report.drawing import ROWS, Drawing, Panel, Row
from holdfast.report.figure_tables import ITERATIONS, rsa_options
from holdfast.report.line_charts import line_panel
from holdfast.runs.metrics import Evaluation
from holdfast.studies.paper.findings import CurveFindings, Findings, PanelFindings

BANDS = "Bands: from the least to the most of the seeds. "
OWN_AXIS = "Each panel has its own axis."
EACH, TOTAL = "milliseconds per iteration", f"seconds for {ITERATIONS} iterations"
QUICK = "quick run: fewer iterations than the paper's"


def figure_chart(findings: Findings) -> Drawing:
    """Return the figure."""
    drawing = CHARTS[findings.figure.chart](findings)
    return replace(drawing, title=QUICK) if findings.figure.short else drawing


def accuracy_chart(findings: Findings) -> Drawing:
    """Return test accuracy over iterations, with the ceiling dotted."""
    look = curve_strokes(findings)
    panels = tuple(_accuracy_panel(panel, look) for panel in findings.panels)
    return Drawing(findings.figure.name, panels, _says(findings), columns=min(len(panels), 2))


def norm_chart(findings: Findings) -> Drawing:
    """Return test accuracy and the variance of the honest workers' models over iterations, side by side."""
    look = curve_strokes(findings)
    panels = tuple(draw(panel, look) for panel in findings.panels for draw in (_accuracy_panel, _variance_panel))
    return Drawing(findings.figure.name, panels, _says(findings), columns=2)


def _says(findings: Findings) -> str:
    """Return how to read the panels."""
    return BANDS * _has_bands(findings) + OWN_AXIS


def _has_bands(findings: Findings) -> bool:
    """Return whether curves are means of more than one run."""
    return any(len(found.records) > 1 for panel in findings.panels for found in panel.curves)


def curve_strokes(findings: Findings) -> dict[str, Stroke]:
    """Return the stroke of each label: that of its method, for the first label of a method."""
    names: dict[str, str] = {}
    for curve in findings.figure.curves():
        names.setdefault(
            curve.label, curve.label if curve.spec.method_name in names.values() else curve.spec.method_name
        )
    found = strokes(names.values())
    return {label: found[name] for label, name in names.items()}


def _accuracy_panel(panel: PanelFindings, look: dict[str, Stroke]) -> Panel:
    limit = _ceiling(panel)
    rows = _rows(panel, lambda evaluation: evaluation.accuracy)
    ended = [found.accuracy for found in panel.curves if not _all_diverged(found)]
    axis = fit_axis("top-1 accuracy", ended, [row["max"] for row in rows] + ([limit] if limit else []), share=True)
    return _panel(panel, rows, look, axis, limit)


def _variance_panel(panel: PanelFindings, look: dict[str, Stroke]) -> Panel:
    rows = _rows(panel, lambda evaluation: evaluation.variance or None)
    values = [value for row in rows for value in (row["min"], row["max"])] or [1.0, 10.0]
    axis = Axis("variance of honest workers", min(values) / 1.5, max(values) * 1.5, logarithmic=True)
    return _panel(panel, rows, look, axis, None)


def _panel(panel: PanelFindings, rows: list[Row], look: dict[str, Stroke], axis: Axis, limit: float | None) -> Panel:
    lost = [found.curve.label for found in panel.curves if _all_diverged(found)]
    return line_panel(
        rows,
        x="iteration",
        y="mean",
        series="curve",
        look=look,
        axis=axis,
        title=panel.panel.title,
        subtitle=f"diverged: {', '.join(lost)}" if lost else "",
        band=("min", "max"),
        limit=limit,
        tips=["min", "max"],
    )


def _rows(panel: PanelFindings, value: Callable[[Evaluation], float | None]) -> list[Row]:
    return [
        {"panel": panel.panel.title, "curve": found.curve.label} | point
        for found in panel.curves
        for point in _points(found, value)
    ]


def _points(found: CurveFindings, value: Callable[[Evaluation], float | None]) -> list[Row]:
    """Return mean and extremes of the seeds at every iteration that was evaluated."""
    by_iteration: dict[int, list[float]] = {}
    for record in found.records:
        for evaluation in record.history:
            if (number := value(evaluation)) is not None:
                by_iteration.setdefault(evaluation.round, []).append(number)
    return [{"iteration": iteration} | spread(numbers) for iteration, numbers in by_iteration.items()]


def spread(numbers: Sequence[float]) -> dict[str, float]:
    """Return mean and extremes of the seeds' numbers.

    >>> spread([1.0, 2.0, 6.0])
    {'mean': 3.0, 'min': 1.0, 'max': 6.0}
    """
    return {"mean": fmean(numbers), "min": min(numbers), "max": max(numbers)}


def _all_diverged(found: CurveFindings) -> bool:
    return all(record.diverged is not None for record in found.records)


def _ceiling(panel: PanelFindings) -> float | None:
    """Return the ceiling, if it is below 1."""
    lowest = min((found.ceiling for found in panel.curves if found.ceiling is not None), default=1.0)
    return lowest if lowest < 1 else None


def penalty_chart(findings: Findings) -> Drawing:
    """Return the final accuracy over lambda: the mean of the seeds, and the extremes."""
    rows = [
        {"lambda": rsa_options(found.curve.spec.method)["penalty"], "step size": found.curve.spec.rate}
        | spread(found.accuracies)
        for panel in findings.panels
        for found in panel.curves
    ]
    axis = fit_axis("final top-1 accuracy", [row["min"] for row in rows], [row["max"] for row in rows], share=True)
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
    says = "Bars: from the least to the most of the seeds." if _has_bands(findings) else ""
    return Drawing(findings.figure.name, (Panel(rows, chart),), says, 1)


def runtime_chart(findings: Findings) -> Drawing:
    """Return the time of one iteration and of all: the median of the repeats, and the extremes."""
    halves = ((EACH, 1.0), (TOTAL, ITERATIONS / 1000))
    panels = tuple(_bar_panel(findings, title, factor) for title, factor in halves)
    return Drawing(findings.figure.name, panels, "Lines: from the fastest to the slowest repeat.", columns=2)


def _bar_panel(findings: Findings, title: str, factor: float) -> Panel:
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


CHARTS: dict[str, Callable[[Findings], Drawing]] = {
    "accuracy": accuracy_chart,
    "runtime": runtime_chart,
    "lambda": penalty_chart,
    "norms": norm_chart,
}
