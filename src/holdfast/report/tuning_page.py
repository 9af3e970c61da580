"""A search for lambda, alpha and the norm: its table, its heat map, its page."""

from typing import Any

import altair as alt
from rich.table import Table

from holdfast.report.colours import variable
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.report.rendering import render
from holdfast.report.tables import text_table
from holdfast.studies.halving import Trial
from holdfast.studies.tuning import Outcome, place

FRAME = ((variable("ink"), 5), ("black", 3))
"""Strokes around the winner, one on the other."""
SHOWN = 10
"""Rows of the table on a terminal."""


def head(outcome: Outcome) -> tuple[str, ...]:
    """Return what the columns of the table are; a method without a penalty has neither norm nor lambda."""
    pull = () if place(outcome.winner)[0] is None else ("norm", "lambda")
    return (*pull, "alpha", "rounds", f"validation {outcome.score.called}", "loss")


def promise(outcome: Outcome) -> str:
    """Return what the numbers of a search mean, in two sentences."""
    workers, held = outcome.samples
    return (
        f"Chosen by the {held} training samples that the master held back; the workers of the search had the other "
        f"{workers}, and no candidate saw the test set. The test {outcome.score.called} is that of the winner alone, "
        "trained again on all training samples."
    )


def ties(outcome: Outcome) -> str | None:
    """Return how many others the validation samples could not tell from the winner, if any."""
    tied, error = len(outcome.list_ties()), outcome.standard_error
    if not tied:
        return None
    near = "as good" if error is None else f"within one standard error ({error:.2g}) or one sample of the best"
    others = f"{tied} other candidates of the last rung are" if tied > 1 else "1 other candidate of the last rung is"
    return f"{others} {near}: the choice is a near tie"


def summary(outcome: Outcome) -> str:
    """Return how the winner did."""
    last = outcome.final.last
    score = outcome.score
    reached = f"diverged at round {outcome.final.diverged}" if last is None else _number(score.of(last))
    norm, weight, rate = place(outcome.winner)
    pull = "" if norm is None else f"norm {norm:g}, lambda {weight:g}, "
    edges = outcome.edges()
    farther = f"; {' and '.join(edges)} at the edge of the grid: farther out may be better" if edges else ""
    error = "" if outcome.standard_error is None else f" ± {outcome.standard_error:.2g}"
    found = f"validation {score.called} {_number(outcome.winner.value)}{error}, test {score.called} {reached}"
    return "; ".join(filter(None, (f"best: {pull}alpha {rate:g}; {found}{farther}", ties(outcome))))


def _number(value: float | None) -> str:
    return "diverged" if value is None else f"{value:.4f}"


def rows(outcome: Outcome) -> list[tuple[str, ...]]:
    """Return one row per candidate, the best first, as it did in the last rung that it reached."""
    return [_row(trial)[-len(head(outcome)) :] for trial in outcome.farthest()]


def _row(trial: Trial) -> tuple[str, ...]:
    norm, weight, rate = place(trial)
    pull = ("-", "-") if norm is None else (f"l{norm:g}", f"{weight:g}")
    return (
        *pull,
        f"{rate:g}",
        str(trial.spec.rounds),
        _number(trial.value),
        "-" if trial.loss is None else f"{trial.loss:.4g}",
    )


def best_table(outcome: Outcome) -> Table:
    """Return the best candidates for a terminal."""
    return text_table(head(outcome), rows(outcome)[:SHOWN], "best candidates")


def headline(outcome: Outcome) -> str:
    """Return who won, and how it did on samples that nobody had chosen by, in one sentence."""
    norm, weight, rate = place(outcome.winner)
    pull = "" if norm is None else f"the l{norm:g} norm, lambda {weight:g} and "
    tried = len(outcome.farthest())
    last = outcome.final.last
    tested = (
        f"diverged at round {outcome.final.diverged}"
        if last is None
        else f"{outcome.score.text(outcome.score.of(last))} on the test set"
    )
    return (
        f"{outcome.best.method_name} with {pull}alpha {rate:g} is the best of {tried} candidates: "
        f"{outcome.score.called} {outcome.score.text(outcome.winner.value)} on the samples held back, {tested}."
    )


def farther(outcome: Outcome) -> list[str]:
    """Return what the winner's place in the grid suggests."""
    edges, tied = outcome.edges(), ties(outcome)
    verb = "lies" if len(edges) == 1 else "lie"
    at_edge = f"{' and '.join(edges)} {verb} at the edge of the grid: farther out may be better." if edges else None
    return [line for line in (at_edge, tied and f"{tied}.") if line]


def heat_map(outcome: Outcome) -> Drawing:
    """Return the validation score over lambda and alpha, one panel per norm, with a frame around the winner."""
    trials = outcome.farthest()
    norms = dict.fromkeys(place(trial)[0] for trial in outcome.rungs[0].trials)
    reached = [trial.value for trial in trials if trial.value is not None]
    panels = (
        _panel([trial for trial in trials if place(trial)[0] == norm], outcome.winner, (min(reached), max(reached)))
        for norm in norms
    )
    says = (
        f"The validation {outcome.score.called} of each candidate in the last rung it reached, with the rounds below: "
        "values after different numbers of rounds do not compare. The frame is the winner's."
    )
    return Drawing("tuning", tuple(panels), says)


def _panel(trials: list[Trial], best: Trial, span: tuple[float, float]) -> Panel:
    rows = [
        dict(zip(("norm", "lambda", "alpha", "rounds"), _row(trial)[:4], strict=True))
        | {"score": trial.value, "best": place(trial) == place(best)}
        for trial in trials
    ]
    penalised = place(trials[0])[0] is not None
    across = [f"{value:g}" for value in sorted({place(trial)[1] or 0.0 for trial in trials})] if penalised else ["-"]
    up = [f"{value:g}" for value in sorted({place(trial)[2] for trial in trials}, reverse=True)]
    x = alt.X("lambda:O", sort=across, axis=alt.Axis(labelAngle=0) if penalised else None)
    tip: list[Any] = ["norm:N", "lambda:O", "alpha:O", "rounds:N", alt.Tooltip("score:Q", format=".4f")]
    base = alt.Chart(alt.NamedData(ROWS)).encode(x=x, y=alt.Y("alpha:O", sort=up), tooltip=tip)
    low, high = span
    cells = base.mark_rect().encode(
        color=alt.Color(
            "score:Q",
            scale=alt.Scale(scheme="viridis", domain=[low, max(high, low + 0.01)]),
            legend=None,  # each cell says its number
        ),
    )
    ink = alt.condition(f"datum.score > {(low + high) / 2}", alt.value("black"), alt.value("white"))
    text = base.mark_text(fontSize=12, dy=-5).encode(text=alt.Text("score:Q", format=".3f"), color=ink)
    rounds = base.mark_text(fontSize=9, dy=9).encode(text="rounds:N", color=ink)
    won = base.transform_filter("datum.best")  # black is seen on a light cell, ink beside it, on any paper
    frames = [won.mark_rect(filled=False, stroke=stroke, strokeWidth=w) for stroke, w in FRAME]
    title = _row(trials[0])[0] if penalised else trials[0].spec.method_name
    return Panel(rows, alt.LayerChart(layer=[cells, text, rounds, *frames], height=40 * len(up), title=title))


def tuning_page(title: str, outcome: Outcome, command: str) -> str:
    """Return the whole page."""
    return render(
        "tuning.html",
        title=title,
        headline=headline(outcome),
        conclusions=farther(outcome),
        run=command,
        promise=promise(outcome),
        rungs=", ".join(f"{len(rung.trials)} with {rung.rounds} rounds" for rung in outcome.rungs),
        map=heat_map(outcome),
        head=head(outcome),
        rows=rows(outcome),
    )
