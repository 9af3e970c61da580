"""Lines over iterations, as the paper has them: the mean of the seeds, in the band between the extremes."""

from collections.abc import Callable, Sequence
from math import floor
from statistics import fmean
from typing import Any

import altair as alt

from holdfast.experiments.metrics import Evaluation
from holdfast.report.colours import Stroke, colour_and_dash, strokes
from holdfast.reproduction.findings import CurveFindings, Findings, PanelFindings

DECADES = [10.0**exponent for exponent in range(-12, 13)]
"""Where logarithmic axes are labelled."""


def accuracy(findings: Findings) -> alt.FacetChart:
    """Return test accuracy over iterations, panels side by side, dotted what is possible at best."""
    ended = [found.accuracy for panel in findings.panels for found in panel.curves]
    lowest = max(floor(10 * min(ended) - 1) / 10, 0.0)  # room for the rise below the worst end
    y = alt.Y("mean:Q", title="top-1 accuracy", scale=alt.Scale(domain=[lowest, 1], nice=False))
    return _facets(findings, lambda evaluation: evaluation.accuracy, y, ".4f", _ceiling)


def norms(findings: Findings) -> alt.VConcatChart:
    """Return test accuracy over iterations, and below it the variance of the honest workers' models."""
    axis = alt.Axis(format=".0e", values=DECADES)
    variance = alt.Y("mean:Q", title="variance of honest workers", scale=alt.Scale(type="log"), axis=axis)
    below = _facets(findings, lambda evaluation: evaluation.variance or None, variance, ".3g")
    chart: alt.VConcatChart = alt.vconcat(accuracy(findings), below)
    return chart


def curve_strokes(findings: Findings) -> dict[str, Stroke]:
    """Return how each label of a figure is drawn: as its method; of several with one method, the first."""
    names: dict[str, str] = {}
    for curve in findings.figure.curves():
        names.setdefault(
            curve.label, curve.label if curve.spec.method_name in names.values() else curve.spec.method_name
        )
    found = strokes(names.values())
    return {label: found[name] for label, name in names.items()}


def _facets(
    findings: Findings,
    value: Callable[[Evaluation], float | None],
    y: alt.Y,
    digits: str,
    ceiling: Callable[[PanelFindings], float | None] = lambda _: None,
) -> alt.FacetChart:
    points = [
        {"panel": panel.panel.title, "curve": found.curve.label, "at best": ceiling(panel)} | point
        for panel in findings.panels
        for found in panel.curves
        for point in _points(found, value)
    ]
    colour, dash = colour_and_dash("curve", curve_strokes(findings))
    x = alt.X("iteration:Q", title="iteration", axis=alt.Axis(tickCount=5, format="d"))
    numbers = [alt.Tooltip(f"{name}:Q", format=digits) for name in ("mean", "min", "max")]
    line = alt.Chart().mark_line(strokeWidth=1.8, clip=True).encode(x=x, y=y, color=colour, strokeDash=dash)
    # lines are thin: what a pointer finds are unseen points
    points_at = alt.Chart().mark_point(size=120, filled=True, opacity=0, clip=True)
    points_at = points_at.encode(x=x, y=y, color=colour, tooltip=["curve:N", "iteration:Q", *numbers])
    band = alt.Chart().mark_area(opacity=0.2, clip=True).encode(x=x, y=alt.Y("min:Q"), y2="max:Q", color=colour)
    layers = [band, line, points_at]
    if any(point["at best"] is not None for point in points):
        best = alt.Chart().mark_rule(strokeDash=[1, 3], strokeWidth=1.5, color="#666").encode(y="mean(at best):Q")
        layers.insert(0, best)
    titles = [panel.panel.title for panel in findings.panels]
    facet = alt.Facet("panel:N", title=None, sort=titles, header=alt.Header(labelFontWeight="bold"))
    panels = alt.layer(*layers).properties(width=270, height=200)
    chart: alt.FacetChart = panels.facet(facet=facet, columns=len(titles), data=alt.InlineData(values=points))
    return chart


def _points(found: CurveFindings, value: Callable[[Evaluation], float | None]) -> list[dict[str, Any]]:
    """Return mean and extremes of the seeds at every iteration that was evaluated."""
    by_iteration: dict[int, list[float]] = {}
    for record in found.records:
        for evaluation in record.history:
            if (number := value(evaluation)) is not None:
                by_iteration.setdefault(evaluation.round, []).append(number)
    return [{"iteration": iteration} | spread(numbers) for iteration, numbers in by_iteration.items()]


def spread(numbers: Sequence[float]) -> dict[str, float]:
    """Return what is drawn of the seeds' numbers.

    >>> spread([1.0, 2.0, 6.0])
    {'mean': 3.0, 'min': 1.0, 'max': 6.0}
    """
    return {"mean": fmean(numbers), "min": min(numbers), "max": max(numbers)}


def _ceiling(panel: PanelFindings) -> float | None:
    """Return the best possible accuracy where some classes are lost."""
    lowest = min((found.ceiling for found in panel.curves if found.ceiling is not None), default=1.0)
    return lowest if lowest < 1 else None
