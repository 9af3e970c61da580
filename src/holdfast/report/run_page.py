"""The page of a single run: its end, its curves, its workers."""

from collections.abc import Sequence

import altair as alt
from markupsafe import Markup

from holdfast.insight.inspection import Inspection
from holdfast.methods import method_text
from holdfast.report.axes import Axis, fit_axis, loss_axis, score_axis
from holdfast.report.colours import DASHES, RSA, SOLID, WIDE, Stroke
from holdfast.report.comparison_tables import method_flags
from holdfast.report.drawing import Drawing, Panel, Row, notebook_chart
from holdfast.report.holdings_chart import holdings_blocks
from holdfast.report.line_charts import line_panel
from holdfast.report.page import Block, Command, Details, Heading, Page, Paragraph, alarm
from holdfast.report.text_table import TextTable, share_text
from holdfast.report.worker_table import count_suspects, remarks, role, worker_table
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec_parts import data_name, model_text
from holdfast.runs.verdicts import Score, choose_score
from holdfast.watching.suspicion import MANY_EVALUATIONS, SUSPICION_THRESHOLD

LEAST_RISE = 0.05
"""Least length of the axis of a share: the line of a run that is good from the start is flat."""
TITLES = {"loss": "loss of x0", "variance": "variance of honest workers", "distance": "distance to consensus"}
"""What axes say in place of the name of a metric."""
ROLES = {"honest": Stroke("soft", SOLID, 1.2), "Byzantine": Stroke("orange", DASHES[0])}
ABOUT_MODELS = Markup(
    "<em>own model</em>: accuracy of an honest worker's own model x_i on the test samples of its classes, weighted as "
    "the worker's own samples are. <em>master model</em>: accuracy of the master's model x0 on the same samples. "
    "Workers of gradient methods hold x0 only, so both are equal."
)
ABOUT_SUSPICION = Markup(
    "<em>disagreement</em>: the share of coordinates on which two workers' messages take different sides. It is the "
    "median over the other workers (copies count once) and the mean over the evaluations. <em>suspicion</em>: how far "
    "the disagreement lies above the median worker's, in robust standard deviations. A worker is <em>suspect</em> "
    "above {}. With fewer than {} evaluations, most of them alone must exceed this too. A <em>copy</em> sent the same "
    "message as another worker at every evaluation. All of these come from the messages alone. Honest workers with "
    "unusual data can look suspect, and Byzantine workers that imitate can look ordinary: docs/workers.md has the "
    "measured rates."
).format(SUSPICION_THRESHOLD, MANY_EVALUATIONS)


def run_page(inspection: Inspection) -> Page:
    """Return the page."""
    spec, history, score = inspection.spec, inspection.history, choose_score([inspection])
    model = [] if spec.model is None else [model_text(spec.model)]
    title = [f"{spec.method_name} on {data_name(spec.data)}", *model, spec.partition_text, f"attack {spec.attack_text}"]
    verdict = alarm(inspection.verdict) if inspection.verdict and inspection.guesses else inspection.verdict
    conclusions = [line for line in (verdict, count_suspects(inspection.workers)) if line]
    last = history[-1].round if history else 0
    ended = f"evaluated up to round {last} of {spec.rounds}"
    about = f"{inspection.folder}: {spec.workers} workers, seed {spec.seed}, {ended}"
    curves = [learning_chart(spec.method_name, history, score, _ceiling(inspection))] if history else []
    metrics = [metrics_chart(spec.method_name, history, score)] if history else []
    blocks = (
        *(Paragraph(note, "notice") for note in inspection.notes),
        *curves,
        *holdings_blocks([spec]),
        *_workers(inspection),
        *(Details("Every other metric over the rounds", [chart]) for chart in metrics),
        Details("Settings", [Paragraph(about), Command(method_flags(spec))]),
    )
    return Page(", ".join(title), headline(inspection, score), conclusions, blocks)


def _workers(inspection: Inspection) -> list[Block]:
    """Return what is known of each worker, if anything."""
    workers = inspection.workers
    blocks: list[Block] = [Paragraph(remark) for remark in remarks(workers)]
    if any(each.suspicion for each in workers):
        blocks.append(disagreement_chart(inspection))
    table = worker_table(workers)
    if len(table.head) > 2:
        models = [Paragraph(ABOUT_MODELS)] if "own model" in table.head else []
        suspicion = [Paragraph(ABOUT_SUSPICION)] if "disagreement" in table.head else []
        blocks.append(Details("Every worker in a table", [table, *models, *suspicion]))
    return [Heading("Worker by worker"), *blocks] if blocks else []


def headline(inspection: Inspection, score: Score) -> str:
    """Return how the run ended, and under which attack."""
    spec, history, result = inspection.spec, inspection.history, inspection.result
    attack = f", while {spec.q} of {spec.workers} workers attack ({spec.attack_text})"
    against = attack if spec.attack is not None and spec.q else ", without an attack"
    if result is not None and result.get("diverged") is not None:
        return f"{spec.method_name} diverged at round {result['diverged']}{against}."
    value = score.of(history[-1]) if history else None
    if value is None:
        return f"Nothing is measured yet: {spec.method_name} is not at its first evaluation{against}."
    reached = f"{'' if score.name == 'accuracy' else f'{score.called} '}{score.text(value)}"
    if result is None:
        return (
            f"Not over: {spec.method_name} is at {reached} after round {history[-1].round} of {spec.rounds}{against}."
        )
    ceiling = _ceiling(inspection)
    limited = score.name == "accuracy" and ceiling is not None and ceiling < 1
    limit = f" The ceiling is {score.text(ceiling)}." if limited else ""
    return f"{spec.method_name} ends at {reached}{against}.{limit}"


def _ceiling(inspection: Inspection) -> float | None:
    """Return the ceiling, which is known once the run is over."""
    found: float | None = (inspection.result or {}).get("ceiling")
    return found


def learning_chart(method: str, history: Sequence[Evaluation], score: Score, ceiling: float | None) -> Drawing:
    """Return the score over rounds, with the ceiling dotted."""
    values = [value for each in history if (value := score.of(each)) is not None]
    limit = ceiling if score.name == "accuracy" and ceiling is not None and ceiling < 1 else None
    every = [*values, *([limit] if limit else [])]
    axis = score_axis(score, values[-1:], every)
    if score.higher and values:  # one line: all of its rise can be seen
        low = min(values) if not score.share else min(*values, max(values) - LEAST_RISE)
        axis = fit_axis(score.title, [low, values[-1]], every, share=score.share)
    panel = _panel(method, score.name, [(each.round, score.of(each)) for each in history], axis, limit, height=260)
    return Drawing("learning", (panel,), columns=1)


def metrics_chart(method: str, history: Sequence[Evaluation], score: Score) -> Drawing:
    """Return every metric except the score over rounds, one panel each."""
    names = dict.fromkeys(name for each in history for name in each.values if name != score.name)
    panels = []
    for name in names:
        points = [(each.round, each.values.get(name)) for each in history]
        axis = loss_axis(TITLES.get(name, name), [value for _, value in points if value is not None])
        panels.append(_panel(method, name, points, axis, None))
    return Drawing("metrics", tuple(panels))


def _panel(
    method: str,
    name: str,
    points: Sequence[tuple[int, float | None]],
    axis: Axis,
    limit: float | None,
    height: int = 220,
) -> Panel:
    rows = [{"method": method, "round": round, name: value} for round, value in points]
    look = {method: Stroke(RSA, SOLID, WIDE)}  # for every method: on this page, Byzantine workers are orange
    return line_panel(rows, x="round", y=name, series="method", look=look, axis=axis, limit=limit, height=height)


def disagreement_chart(inspection: Inspection) -> Drawing:
    """Return every worker's disagreement over rounds."""
    rows: list[Row] = [
        {"worker": each.worker, "role": role(each), "round": evaluation.round, "disagreement": share}
        for evaluation in inspection.history
        for each, share in zip(inspection.workers, evaluation.disagreement or (), strict=False)
    ]
    shares = [share for row in rows if (share := row["disagreement"]) is not None]
    panel = line_panel(
        rows,
        x="round",
        y="disagreement",
        series="role",
        look=ROLES,
        axis=fit_axis("disagreement with the others (median)", shares, share=True),
        height=280,
        tips=["worker"],
        groups="worker",
    )
    says = "One line per worker."
    if any(each.byzantine for each in inspection.workers):
        says += " Only the simulation knows which workers are Byzantine."
    return Drawing("disagreement", (panel,), says, columns=1)


def plot(run: Record) -> alt.ConcatChart:
    """Return the score and every other metric over the rounds, side by side, for a notebook."""
    method = method_text(run.spec.method)
    charts = learning_chart(method, run.history, run.score, run.ceiling), metrics_chart(method, run.history, run.score)
    return notebook_chart(Drawing("run", tuple(panel for chart in charts for panel in chart.panels)))


def html(run: Record) -> str:
    """Return how a run ended, for a notebook."""
    numbers = {"rounds": str(run.rounds)}
    if run.last is not None:
        accuracy = {"accuracy": share_text(run.accuracy), "ceiling": share_text(run.ceiling)}
        accuracy |= {"guessing": share_text(run.guessing)}
        others = {name: f"{value:.4g}" for name, value in run.last.values.items() if name != "accuracy"}
        numbers = ({} if run.accuracy is None else accuracy) | others | numbers
    verdict = [Paragraph(run.verdict, "fails" if run.guesses else "")] if run.verdict else []
    blocks = [Paragraph(repr(run)), *verdict, TextTable([*numbers], [[*numbers.values()]])]
    return "".join(block.__html__() for block in blocks)
