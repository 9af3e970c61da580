"""A search for lambda, alpha and the norm: its table, its heat map, its page."""

import altair as alt
from rich.table import Table

from holdfast.report.colours import ALARM
from holdfast.report.pictures import Chart
from holdfast.report.rendering import render
from holdfast.report.tables import text_table
from holdfast.tuning import Trial
from holdfast.tuning.outcome import Outcome, place

HEAD = ("norm", "lambda", "alpha", "rounds", "validation accuracy")
Panel = alt.LayerChart | alt.FacetChart
SHOWN = 10
"""Rows of the table on a terminal."""


def promise(outcome: Outcome) -> str:
    """Return what the numbers of a search mean, in two sentences."""
    workers, held = outcome.samples
    return (
        f"Chosen by the {held} training samples that the master held back; the workers of the search had the other "
        f"{workers}, and no candidate saw the test set. The test accuracy is that of the winner alone, trained again "
        "on all training samples."
    )


def summary(outcome: Outcome) -> str:
    """Return how the winner did."""
    last = outcome.final.last
    reached = f"diverged at round {outcome.final.diverged}" if last is None else f"{last.accuracy:.4f}"
    norm, weight, rate = place(outcome.winner)
    pull = "" if norm is None else f"norm {norm:g}, lambda {weight:g}, "
    edges = outcome.edges()
    farther = f"; {' and '.join(edges)} at the edge of the grid: farther out may be better" if edges else ""
    accuracies = f"validation accuracy {outcome.winner.accuracy:.4f}, test accuracy {reached}"
    return f"best: {pull}alpha {rate:g}; {accuracies}{farther}"


def rows(outcome: Outcome) -> list[tuple[str, ...]]:
    """Return one row per candidate, the best first, as it did in the last rung that it reached."""
    return [_row(trial) for trial in outcome.farthest()]


def _row(trial: Trial) -> tuple[str, ...]:
    norm, weight, rate = place(trial)
    pull = ("-", "-") if norm is None else (f"l{norm:g}", f"{weight:g}")
    return (*pull, f"{rate:g}", str(trial.spec.rounds), f"{trial.accuracy:.4f}")


def best_table(outcome: Outcome) -> Table:
    """Return the best candidates for a terminal."""
    return text_table(HEAD, rows(outcome)[:SHOWN], "best candidates")


def heat_map(outcome: Outcome) -> Chart:
    """Return validation accuracy over lambda and alpha, one panel per norm."""
    written: Chart = alt.hconcat(*_panels(outcome)).to_dict()
    return written


def _panels(outcome: Outcome) -> list[Panel]:
    """Return one panel per norm, with a frame around the winner."""
    trials = outcome.farthest()
    norms = dict.fromkeys(place(trial)[0] for trial in outcome.rungs[0].trials)
    return [_panel([trial for trial in trials if place(trial)[0] == norm], outcome.winner) for norm in norms]


def _panel(trials: list[Trial], won: Trial) -> Panel:
    points = [
        dict(zip(("norm", "lambda", "alpha", "rounds"), _row(trial)[:4], strict=True))
        | {"accuracy": trial.accuracy, "best": place(trial) == place(won)}
        for trial in trials
    ]
    penalised = place(trials[0])[0] is not None
    across = [f"{value:g}" for value in sorted({place(trial)[1] or 0.0 for trial in trials})] if penalised else ["-"]
    up = [f"{value:g}" for value in sorted({place(trial)[2] for trial in trials}, reverse=True)]
    x = alt.X("lambda:O", sort=across, axis=alt.Axis(labelAngle=0) if penalised else None)
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=alt.Y("alpha:O", sort=up))
    colours = alt.Scale(scheme="viridis", domain=[0, 1])
    cells = base.mark_rect().encode(
        color=alt.Color("accuracy:Q", scale=colours, legend=None),  # each cell says its number
        tooltip=["norm:N", "lambda:O", "alpha:O", "rounds:N", alt.Tooltip("accuracy:Q", format=".4f")],
    )
    ink = alt.condition("datum.accuracy > 0.45", alt.value("black"), alt.value("white"))
    text = base.mark_text(fontSize=12, dy=-4).encode(text=alt.Text("accuracy:Q", format=".3f"), color=ink)
    rounds = base.mark_text(fontSize=10, dy=10).encode(text="rounds:N", color=ink)
    frame = base.mark_rect(filled=False, stroke=ALARM, strokeWidth=3).transform_filter("datum.best")
    title = _row(trials[0])[0] if penalised else trials[0].spec.method_name
    return alt.layer(cells, text, rounds, frame).properties(width=50 * len(across), height=42 * len(up), title=title)


def tuning_page(title: str, outcome: Outcome, command: str) -> str:
    """Return the whole page."""
    return render(
        "tuning.html",
        title=title,
        summary=summary(outcome),
        run=command,
        promise=promise(outcome),
        rungs=", ".join(f"{len(rung.trials)} with {rung.rounds} rounds" for rung in outcome.rungs),
        panels=[panel.to_dict() for panel in _panels(outcome)],
        head=HEAD,
        rows=rows(outcome),
    )
