"""A search for lambda, alpha and the norm: its table, its heat map, its page."""

from collections.abc import Callable

import altair as alt

from holdfast.report.colours import variable
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.report.page import Command, Details, Page, Paragraph, alarm
from holdfast.report.text_table import TextTable
from holdfast.runs.verdicts import is_guessing
from holdfast.studies.halving import Trial
from holdfast.studies.tuning import Outcome, place

FRAME = ((variable("ink"), 5), ("black", 3))
"""Strokes around the winner, one above the other."""
SHOWN = 10
"""Rows of the table on a terminal."""


def candidate_table(outcome: Outcome, most: int | None = None) -> TextTable:
    """Return the candidates, the best first, each in the last rung that it reached.

    A method without a penalty has no columns for norm and lambda.
    """
    pull = () if place(outcome.winner)[0] is None else ("norm", "lambda")
    head = (*pull, "alpha", "rounds", f"validation {outcome.score.called}", "loss")
    trials = outcome.farthest()[:most]
    bad = [
        (row, len(head) - 2)
        for row, trial in enumerate(trials)
        if is_guessing(outcome.score, trial.value, outcome.guessing)
    ]
    return TextTable(head, [_row(trial)[-len(head) :] for trial in trials], bad=bad)


def _row(trial: Trial) -> tuple[str, ...]:
    norm, weight, rate = place(trial)
    pull = ("-", "-") if norm is None else (f"l{norm:g}", f"{weight:g}")
    loss = "-" if trial.loss is None else f"{trial.loss:.4g}"
    return (*pull, f"{rate:g}", str(trial.spec.rounds), _number(trial.value), loss)


def _number(value: float | None) -> str:
    return "diverged" if value is None else f"{value:.4f}"


def promise(outcome: Outcome) -> str:
    """Return what the numbers of a search mean."""
    workers, held_back = outcome.samples
    return (
        f"The master chose by {held_back} training samples that it held back; the workers had the other {workers}. "
        f"No candidate saw the test set. The test {outcome.score.called} is the winner's, trained again on all "
        "training samples."
    )


def ties(outcome: Outcome) -> str | None:
    """Return how many other candidates the validation samples cannot tell from the winner, if any."""
    tied, error = len(outcome.list_ties()), outcome.standard_error
    if not tied:
        return None
    near = "as good" if error is None else f"within one standard error ({error:.2g}) or one sample of the best"
    others = f"{tied} other candidates of the last rung are" if tied > 1 else "1 other candidate of the last rung is"
    return f"{others} {near}: the choice is a near tie"


def summary(outcome: Outcome) -> str:
    """Return the winner and its scores, in one line for a terminal."""
    score = outcome.score
    tested = _test_text(outcome, lambda value: f"test {score.called} {_number(value)}")
    norm, weight, rate = place(outcome.winner)
    pull = "" if norm is None else f"norm {norm:g}, lambda {weight:g}, "
    edges = outcome.edges()
    farther = f"; {' and '.join(edges)} at the edge of the grid: farther out may be better" if edges else ""
    # where all samples are right, or none, the formula of the error knows no error
    error = f" ± {outcome.standard_error:.2g}" if outcome.standard_error else f" of {outcome.samples[1]} samples"
    scores = f"validation {score.called} {_number(outcome.winner.value)}{error}, {tested}"
    return "; ".join(filter(None, (f"best: {pull}alpha {rate:g}; {scores}{farther}", ties(outcome))))


def guessing_line(outcome: Outcome) -> str | None:
    """Return the sentence about a winner that is no better than guessing; None about others."""
    if not outcome.guesses:
        return None
    score, tested = outcome.score, outcome.final
    levels = f"{_number(outcome.guessing)} on the validation samples, {_number(tested.guessing)} on the test set"
    return (
        f"Do not use this model: the best of {len(outcome.farthest())} candidates is no better than guessing "
        f"({score.called} {levels}). Try more --rounds, another --method, or fewer Byzantine workers."
    )


def headline(outcome: Outcome) -> str:
    """Return the winner, and its scores on validation and test samples."""
    norm, weight, rate = place(outcome.winner)
    pull = "" if norm is None else f"the l{norm:g} norm, lambda {weight:g} and "
    score = outcome.score
    tested = _test_text(outcome, lambda value: f"{score.text(value)} on the test set")
    return (
        f"{outcome.best.method_name} with {pull}alpha {rate:g} is the best of {len(outcome.farthest())} candidates. "
        f"Its {score.called} is {score.text(outcome.winner.value)} on the validation samples, {tested}."
    )


def _test_text(outcome: Outcome, text: Callable[[float | None], str]) -> str:
    """Return how the winner did on the test set."""
    last = outcome.final.last
    return f"diverged at round {outcome.final.diverged}" if last is None else text(outcome.score.of(last))


def conclusions(outcome: Outcome) -> list[str]:
    """Return what the winner's place in the grid suggests."""
    edges, tied = outcome.edges(), ties(outcome)
    verb = "lies" if len(edges) == 1 else "lie"
    at_edge = f"{' and '.join(edges)} {verb} at the edge of the grid: farther out may be better." if edges else None
    guesses = guessing_line(outcome)
    return [line for line in (guesses and alarm(guesses), at_edge, tied and f"{tied}.") if line]


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
        f"The validation {outcome.score.called} of each candidate in the last rung it reached, with the rounds below. "
        "Values after different numbers of rounds do not compare. The winner has a frame."
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
    base = alt.Chart(alt.NamedData(ROWS)).encode(
        x=x,
        y=alt.Y("alpha:O", sort=up),
        tooltip=["norm:N", "lambda:O", "alpha:O", "rounds:N", alt.Tooltip("score:Q", format=".4f")],
    )
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


def tuning_page(title: str, outcome: Outcome, command: str) -> Page:
    """Return the page."""
    rungs = ", ".join(f"{len(rung.trials)} with {rung.rounds} rounds" for rung in outcome.rungs)
    blocks = (
        *([] if outcome.guesses else [Command(command)]),
        heat_map(outcome),
        Details("Every candidate", [candidate_table(outcome)]),
        Details("How it was chosen", [Paragraph(promise(outcome)), Paragraph(f"Candidates: {rungs}.")]),
    )
    return Page(title, headline(outcome), conclusions(outcome), blocks)
