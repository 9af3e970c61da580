"""Charts of a single run: how it learnt, and how far each worker disagreed with the others."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from holdfast.experiments.inspection import Inspection
from holdfast.experiments.metrics import Evaluation
from holdfast.report.colours import ALARM, GREY, SOLID, Stroke, colour_and_dash, strokes
from holdfast.report.worker_rows import role

ROLES = {"honest": Stroke(GREY, SOLID), "Byzantine": Stroke(ALARM, SOLID)}


def learning(method: str, history: Sequence[Evaluation]) -> alt.HConcatChart:
    """Return accuracy (if there are classes), loss and variance over rounds, side by side."""
    drawn = {
        "accuracy": ("test accuracy of x0", alt.Scale(domain=[0, 1])),
        "loss": ("loss of x0", alt.Scale(zero=False)),
        "variance": ("variance of honest workers", alt.Scale(zero=True)),
    }
    chart: alt.HConcatChart = alt.hconcat(
        *(
            _line(name, title, scale, strokes([method])[method].colour, history)
            for name, (title, scale) in drawn.items()
            if any(getattr(evaluation, name) is not None for evaluation in history)
        )
    )
    return chart


def _line(name: str, title: str, scale: alt.Scale, colour: str, history: Sequence[Evaluation]) -> alt.Chart:
    points = [{"round": each.round, name: getattr(each, name)} for each in history]
    chart = alt.Chart(alt.InlineData(values=points), width=270, height=200)
    line: alt.Chart = chart.mark_line(color=colour, point=alt.OverlayMarkDef(color=colour)).encode(
        x=alt.X("round:Q", title="round"),
        y=alt.Y(f"{name}:Q", title=title, scale=scale),
        tooltip=["round:Q", alt.Tooltip(f"{name}:Q", format=".4g")],
    )
    return line


def disagreement_chart(inspection: Inspection) -> alt.LayerChart:
    """Return every worker's disagreement over rounds; Byzantine workers are marked, since a simulation knows them."""
    colour, _ = colour_and_dash("role", ROLES)
    lines = alt.Chart(alt.InlineData(values=disagreements(inspection))).encode(
        x=alt.X("round:Q", title="round"),
        y=alt.Y("disagreement:Q", title="disagreement with the others (median)"),
        detail="worker:N",
        color=colour,
        tooltip=["worker:N", "role:N", "round:Q", alt.Tooltip("disagreement:Q", format=".4f")],
    )
    # lines are thin: what a pointer finds are unseen points
    layers = (lines.mark_line(strokeWidth=1.5), lines.mark_point(size=120, filled=True, opacity=0))
    return alt.LayerChart(layer=list(layers), width=800, height=300)


def disagreements(inspection: Inspection) -> list[dict[str, Any]]:
    """Return a point for each worker at each evaluation that recorded messages."""
    return [
        {"worker": each.worker, "role": role(each), "round": evaluation.round, "disagreement": share}
        for evaluation in inspection.history
        for each, share in zip(inspection.workers, evaluation.disagreement or (), strict=False)
    ]
