"""Lines over iterations, as the paper has them: the mean of the seeds, in the band between the extremes."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from holdfast.report.axes import Axis, fitted
from holdfast.report.colours import Stroke, strokes
from holdfast.report.drawing import Drawing, Panel
from holdfast.report.lines import line_panel
from holdfast.runs.metrics import Evaluation
from holdfast.studies.paper.findings import CurveFindings, Findings, PanelFindings

BANDS = "Bands: from the least to the most of the seeds. "
OWN = "Each panel has its own axis."


def accuracy(findings: Findings) -> Drawing:
    """Return test accuracy over iterations, panels side by side, dotted what is possible at best."""
    look = curve_strokes(findings)
    panels = tuple(_accuracy(panel, look) for panel in findings.panels)
    return Drawing(findings.figure.name, panels, _says(findings), columns=min(len(panels), 2))


def norms(findings: Findings) -> Drawing:
    """Return test accuracy over iterations, and beside it the variance of the honest workers' models."""
    look = curve_strokes(findings)
    panels = tuple(draw(panel, look) for panel in findings.panels for draw in (_accuracy, _variance))
    return Drawing(findings.figure.name, panels, _says(findings), columns=2)


def _says(findings: Findings) -> str:
    """Return how to read the panels; one seed makes no band."""
    return BANDS * several(findings) + OWN


def several(findings: Findings) -> bool:
    """Return whether curves are means of more than one run."""
    return any(len(found.records) > 1 for panel in findings.panels for found in panel.curves)


def curve_strokes(findings: Findings) -> dict[str, Stroke]:
    """Return how each label of a figure is drawn: as its method; of several with one method, the first."""
    names: dict[str, str] = {}
    for curve in findings.figure.curves():
        names.setdefault(
            curve.label, curve.label if curve.spec.method_name in names.values() else curve.spec.method_name
        )
    found = strokes(names.values())
    return {label: found[name] for label, name in names.items()}


def _accuracy(panel: PanelFindings, look: dict[str, Stroke]) -> Panel:
    limit = _ceiling(panel)
    rows = _rows(panel, lambda evaluation: evaluation.accuracy)
    ended = [found.accuracy for found in panel.curves if not _all_diverged(found)]
    axis = fitted("top-1 accuracy", ended, [row["max"] for row in rows] + ([limit] if limit else []), share=True)
    return _panel(panel, rows, look, axis, limit)


def _variance(panel: PanelFindings, look: dict[str, Stroke]) -> Panel:
    rows = _rows(panel, lambda evaluation: evaluation.variance or None)
    values = [value for row in rows for value in (row["min"], row["max"])] or [1.0, 10.0]
    axis = Axis("variance of honest workers", min(values) / 1.5, max(values) * 1.5, logarithmic=True)
    return _panel(panel, rows, look, axis, None)


def _panel(
    panel: PanelFindings, rows: list[dict[str, Any]], look: dict[str, Stroke], axis: Axis, limit: float | None
) -> Panel:
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
        told=["min", "max"],
    )


def _rows(panel: PanelFindings, value: Callable[[Evaluation], float | None]) -> list[dict[str, Any]]:
    return [
        {"panel": panel.panel.title, "curve": found.curve.label} | point
        for found in panel.curves
        for point in _points(found, value)
    ]


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


def _all_diverged(found: CurveFindings) -> bool:
    return all(record.diverged is not None for record in found.records)


def _ceiling(panel: PanelFindings) -> float | None:
    """Return the best possible accuracy where some classes are lost."""
    lowest = min((found.ceiling for found in panel.curves if found.ceiling is not None), default=1.0)
    return lowest if lowest < 1 else None
