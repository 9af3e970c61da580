"""Charts of a single run: how it learnt, and how far each worker disagreed with the others."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from holdfast.insight.inspection import Inspection
from holdfast.methods import method_text
from holdfast.report.axes import Axis, falling, fitted, of_score
from holdfast.report.colours import DASHES, RSA, SOLID, WIDE, Stroke
from holdfast.report.drawing import Drawing, Panel, notebook_chart
from holdfast.report.lines import line_panel
from holdfast.report.worker_rows import role
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.verdicts import Score

LEAST_RISE = 0.05
"""An axis of a share shows no less: a run that is good from the first evaluation on is a flat line."""
ROLES = {"honest": Stroke("soft", SOLID, 1.2), "Byzantine": Stroke("orange", DASHES[0])}


def learning(method: str, history: Sequence[Evaluation], score: Score, ceiling: float | None) -> Drawing:
    """Return the score over rounds, wide, dotted what is possible at best."""
    values = [value for each in history if (value := score.of(each)) is not None]
    limit = ceiling if score.name == "accuracy" and ceiling is not None and ceiling < 1 else None
    axis = of_score(score, values[-1:], [*values, *([limit] if limit else [])])
    if score.higher and values:  # one line: all of its rise can be seen
        low = min(values) if not score.share else min(*values, max(values) - LEAST_RISE)
        axis = fitted(score.title, [low, values[-1]], [*values, *([limit] if limit else [])], share=score.share)
    panel = _panel(method, history, score.name, axis, limit, height=260)
    return Drawing("learning", (panel,), columns=1)


def inner_life(method: str, history: Sequence[Evaluation], score: Score) -> Drawing:
    """Return what else was measured over the rounds: the loss, and how far honest workers are from each other."""
    losses = [] if score.name == "loss" else [("loss", "loss of x0")]
    drawn = [*losses, ("variance", "variance of honest workers")]
    panels = []
    for name, title in drawn:
        values = [getattr(each, name) for each in history]
        panels.append(_panel(method, history, name, falling(title, values), None))
    return Drawing("loss-and-variance", tuple(panels), columns=2)


def _panel(
    method: str, history: Sequence[Evaluation], name: str, axis: Axis, limit: float | None, height: int = 220
) -> Panel:
    rows = [
        {"method": method, "round": each.round, name: getattr(each, name, each.metrics.get(name))} for each in history
    ]
    look = {method: Stroke(RSA, SOLID, WIDE)}  # whatever the method: orange are Byzantine workers on this page
    return line_panel(rows, x="round", y=name, series="method", look=look, axis=axis, limit=limit, height=height)


def disagreement_chart(inspection: Inspection) -> Drawing:
    """Return every worker's disagreement over rounds; Byzantine workers are marked, since a simulation knows them."""
    rows = disagreements(inspection)
    shares = [share for row in rows if (share := row["disagreement"]) is not None]
    panel = line_panel(
        rows,
        x="round",
        y="disagreement",
        series="role",
        look=ROLES,
        axis=fitted("disagreement with the others (median)", [*shares], share=True),
        height=280,
        told=["worker"],
        groups="worker",
    )
    says = "A line for each worker."
    if any(each.byzantine for each in inspection.workers):
        says += " Who is Byzantine is known to the simulation, not to the master."
    return Drawing("disagreement", (panel,), says, columns=1)


def disagreements(inspection: Inspection) -> list[dict[str, Any]]:
    """Return a point for each worker at each evaluation that recorded messages."""
    return [
        {"worker": each.worker, "role": role(each), "round": evaluation.round, "disagreement": share}
        for evaluation in inspection.history
        for each, share in zip(inspection.workers, evaluation.disagreement or (), strict=False)
    ]


def plot(run: Record) -> alt.ConcatChart:
    """Return all that is measured over the rounds, side by side, for a notebook."""
    method = method_text(run.spec.method)
    drawn = learning(method, run.history, run.score, run.ceiling), inner_life(method, run.history, run.score)
    return notebook_chart(Drawing("run", tuple(panel for each in drawn for panel in each.panels)))
