"""The charts of an arena: worst cases, robustness over the number of Byzantine workers, cells and their curves."""

from collections.abc import Mapping

import altair as alt
import numpy as np

from holdfast.data import PARTITIONS
from holdfast.files import file_names
from holdfast.methods import Method
from holdfast.report.axes import Axis, fit_axis
from holdfast.report.colours import strokes, variable
from holdfast.report.drawing import ROWS, Drawing, Panel, Row
from holdfast.report.line_charts import line_panel
from holdfast.report.worst_chart import Dot, worst_chart
from holdfast.studies.arena_plan import Condition
from holdfast.studies.arena_results import attack_text
from holdfast.studies.leaderboard import BoutResult, Leaderboard, Standing, score_at

WORST = "worst case"
LINES = 6
"""Methods with curves, the best overall: more lines would look alike."""
CELL = 24
"""Pixels from one row of a heat map to the next."""


def robustness_chart(board: Leaderboard, names: Mapping[Method, str]) -> Drawing:
    """Return the worst-case accuracy over q, one panel per task and partition."""
    shown = board.ranked[:LINES]
    look = strokes(names[method] for method in shown)
    panels = []
    for task, partition in dict.fromkeys(condition[:2] for condition in board.conditions):
        titles = [*filter(None, (task.data_name, PARTITIONS.text(partition)))]
        labels = {"task": task.text, "partition": titles[-1]} if task.text else {}
        standings = [each for each in board.standings if each.condition[:2] == (task, partition)]
        standings.sort(key=lambda each: each.condition.byzantine)
        rows = [
            {"method": names[each.method], "byzantine": each.condition.byzantine, "accuracy": each.score} | labels
            for each in standings
            if each.method in shown and each.score is not None
        ]
        panels.append(
            line_panel(
                rows,
                x="byzantine",
                y="accuracy",
                series="method",
                look=look,
                axis=Axis(f"{board.score.title}, worst case", 0.0, 1.0),
                x_title="Byzantine workers",
                title=", ".join(titles),
                subtitle=task.model_name,
            )
        )
    says = f"The worst case over all attacks, by the number of Byzantine workers, of the {len(shown)} best methods."
    rows_of_three = len(board.by_task) > 1 and len(panels) // len(board.by_task) % 3 == 0
    return Drawing("robustness", tuple(panels), says, columns=3 if rows_of_three else 2)


def worst_case_chart(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Drawing:
    """Return every method's accuracies under all attacks, the best worst case first.

    A method that could not be played everywhere is left out: its worst case is not known.
    """
    standings = [board.standing(method, condition) for method in board.ranked]
    known = [(each, worst) for each in standings if (worst := each.worst) is not None]
    known.sort(key=lambda pair: pair[1].final.mean, reverse=True)
    dots = [
        Dot(names[each.method], attack_text(cell), cell.final.mean, f"{cell.final.mean:.3f}", worst=cell is worst)
        for each, worst in known
        for cell in each.cells
    ]
    ceiling = min((worst.ceiling for _, worst in known if worst.ceiling), default=1.0)
    guesses = [worst.guessing for _, worst in known if worst.guessing is not None]
    highest = max((cell.final.mean for each, _ in known for cell in each.cells), default=0.98)
    left_out = [names[each.method] for each in standings if each.worst is None]
    remarks = (
        "Dots above the ceiling: attackers are honest part of the time." if highest > ceiling else "",
        f"Left out, since not playable under every attack: {', '.join(left_out)}." if left_out else "",
    )
    return worst_chart(
        f"worst-{_file(board, condition)}",
        dots,
        strokes(names.values()),
        Axis(f"{board.score.title} at the end", 0.0, max(0.02 + highest, ceiling)),
        board.score,
        (min(guesses, default=None), ceiling if ceiling < 1 else None),
        (f"{condition.text}.", " ".join(filter(None, remarks))),
    )


def _file(board: Leaderboard, condition: Condition) -> str:
    return file_names(each.text for each in board.conditions)[condition.text]


def heat_map(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Drawing:
    """Return the final accuracy of every cell: one row per method, the best overall first, one column per attack."""
    rows = [
        {"method": names[method], "attack": column, "accuracy": value, "why": why}
        for method in board.ranked
        for column, value, why in _row(board.standing(method, condition))
    ]
    columns = list(dict.fromkeys(str(row["attack"]) for row in rows))
    base = alt.Chart(alt.NamedData(ROWS)).encode(
        x=alt.X("attack:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=-45, labelLimit=140)),
        y=alt.Y("method:N", sort=[names[method] for method in board.ranked], title=None, axis=alt.Axis(labelLimit=200)),
        tooltip=["method:N", "attack:N", alt.Tooltip("accuracy:Q", format=".4f"), "why:N"],
    )
    played = base.transform_filter("isValid(datum.accuracy)")
    colour = alt.Color("accuracy:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1]), legend=None)
    ink = alt.condition("datum.accuracy > 0.5", alt.value("black"), alt.value("white"))
    cells = played.mark_rect().encode(color=colour)
    numbers = played.mark_text(fontSize=10).encode(text=alt.Text("accuracy:Q", format=".2f"), color=ink)
    failed = base.transform_filter("!isValid(datum.accuracy)")
    crosses = failed.mark_text(fontSize=11, text="✕", color=variable("fails"))
    chart = alt.LayerChart(layer=[cells, numbers, crosses], height=CELL * len(board.ranked))
    title = f"{board.score.title[0].upper()}{board.score.title[1:]}"
    says = f"{title} at the end, the mean over the seeds. A cross marks a cell that could not be played."
    name = f"cells-{_file(board, condition)}"
    return Drawing(name, (Panel(rows, chart),), says, columns=1, cells=len(columns))


def _row(standing: Standing) -> list[tuple[str, float | None, str]]:
    worst = standing.worst
    why = "a cell could not be played" if worst is None else f"under {attack_text(worst)}"
    cells = [
        (attack_text(cell), None if cell.failure else cell.final.mean, cell.failure or "") for cell in standing.cells
    ]
    return [(WORST, standing.score, why), *cells]


def cell_curves(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Drawing:
    """Return accuracy over rounds (mean over the seeds) of the best methods: one panel per attack."""
    shown = board.ranked[:LINES]
    look = strokes(names[method] for method in shown)
    cells = [cell for method in shown for cell in board.standing(method, condition).cells if cell.failure is None]
    panels = []
    for attack in dict.fromkeys(attack_text(cell) for cell in cells):
        rows: list[Row] = [
            {"attack": attack, "method": names[cell.bout.method], "round": round, "accuracy": accuracy}
            for cell in cells
            if attack_text(cell) == attack
            for round, accuracy in _means(cell)
        ]
        axis = fit_axis(board.score.title, [row["accuracy"] for row in rows], share=True)
        panels.append(
            line_panel(rows, x="round", y="accuracy", series="method", look=look, axis=axis, title=attack, height=160)
        )
    return Drawing(f"curves-{_file(board, condition)}", tuple(panels), f"The {len(shown)} best methods.")


def _means(cell: BoutResult) -> list[tuple[int, float]]:
    """Return the mean accuracy over the seeds at every evaluation that all of them reached."""
    histories = [[(each.round, score_at(record, each)) for each in record.history] for record in cell.records]
    together = zip(*histories, strict=False)
    return [(points[0][0], float(np.mean([accuracy for _, accuracy in points]))) for points in together]
