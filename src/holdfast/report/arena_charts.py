"""The charts of an arena: the worst case against the number of Byzantine workers, every cell, and its curves."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np

from holdfast.data import PARTITIONS
from holdfast.files import file_names
from holdfast.methods import Method
from holdfast.report.axes import Axis, fitted
from holdfast.report.colours import strokes, variable
from holdfast.report.comparison_charts import worst_panel
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.report.lines import line_panel
from holdfast.studies.arena import Condition
from holdfast.studies.arena_results import attack_text
from holdfast.studies.leaderboard import BoutResult, Leaderboard, Standing

WORST = "worst case"
LINES = 6
"""Methods whose curves are drawn: the best overall. More lines could not be told apart."""
CELL = 24
"""Pixels from one row of a heat map to the next."""


def robustness_curves(board: Leaderboard, names: Mapping[Method, str]) -> Drawing:
    """Return the worst-case accuracy against q, one panel per task and partition: where each method breaks."""
    shown = board.ranked[:LINES]
    look = strokes(names[method] for method in shown)
    panels = []
    for task, partition in dict.fromkeys(condition[:2] for condition in board.conditions):
        titles = [*filter(None, (task.data_name, PARTITIONS.text(partition)))]
        told = {"task": task.text, "partition": titles[-1]} if task.text else {}
        rows: list[dict[str, Any]] = [
            {"method": names[standing.method], "byzantine": standing.condition.byzantine, "accuracy": standing.score}
            | told
            for standing in board.standings
            if standing.condition[:2] == (task, partition)
            if standing.method in shown and standing.score is not None
        ]
        rows.sort(key=lambda row: int(str(row["byzantine"])))
        panels.append(
            line_panel(
                rows,
                x="byzantine",
                y="accuracy",
                series="method",
                look=look,
                axis=Axis("test accuracy, worst case", 0.0, 1.0),
                x_title="Byzantine workers",
                title=", ".join(titles),
                subtitle=task.model_name,
            )
        )
    says = f"The worst case over all attacks against the number of Byzantine workers; the {len(shown)} best methods."
    rows_of_three = len(board.by_task) > 1 and len(panels) // len(board.by_task) % 3 == 0
    return Drawing("robustness", tuple(panels), says, columns=3 if rows_of_three else 2)


def worst_dots(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Drawing:
    """Return every method's accuracies under all attacks on a line of its own, the best in its worst case first.

    A method that could not be played everywhere is left out: its worst case is not known.
    """
    standings = [board.standing(method, condition) for method in board.ranked]
    known = sorted((each for each in standings if each.worst), key=lambda each: each.score or 0.0, reverse=True)
    ended = {each.method: {attack_text(cell): cell.final.mean for cell in each.cells} for each in known}
    rows = [
        {"method": names[each.method], "attack": attack, "accuracy": value, "place": value, "withstood": True}
        | {"worst": attack == attack_text(each.worst), "says": f"{value:.3f}  {attack}"}
        for each in known
        if each.worst is not None
        for attack, value in ended[each.method].items()
    ]
    ceiling = min((each.worst.ceiling for each in known if each.worst and each.worst.ceiling), default=1.0)
    methods = [names[each.method] for each in known]
    axis = Axis("test accuracy at the end", 0.0, 1.0 if not rows else max(0.02 + max(map(_place, rows)), ceiling))
    panel = worst_panel(rows, methods, strokes(names.values()), axis, "accuracy", ceiling if ceiling < 1 else None)
    left = [names[each.method] for each in standings if each.worst is None]
    says = f"{condition.text}: a dot for each attack; the large one is the method's worst case."
    says += " Dotted: the best possible under attack." if ceiling < 1 else ""
    if any(_place(row) > ceiling for row in rows):
        says += " Beyond it lies what attacks leave that send true messages at times."
    says += f" Not playable under every attack, and left out: {', '.join(left)}." if left else ""
    return Drawing(f"worst-{_file(board, condition)}", (panel,), says, columns=1)


def _file(board: Leaderboard, condition: Condition) -> str:
    return file_names(each.text for each in board.conditions)[condition.text]


def _place(row: Mapping[str, object]) -> float:
    return float(str(row["place"]))


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
    says = "Accuracy at the end, the mean over the seeds; a cross marks what could not be played."
    return Drawing(f"cells-{_file(board, condition)}", (Panel(rows, chart),), says, columns=1)


def _row(standing: Standing) -> list[tuple[str, float | None, str]]:
    worst = standing.worst
    told = "a cell could not be played" if worst is None else f"under {attack_text(worst)}"
    cells = [
        (attack_text(cell), None if cell.failure else cell.final.mean, cell.failure or "") for cell in standing.cells
    ]
    return [(WORST, standing.score, told), *cells]


def cell_curves(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Drawing:
    """Return accuracy over rounds (mean over the seeds) of the best methods: one panel per attack."""
    shown = board.ranked[:LINES]
    look = strokes(names[method] for method in shown)
    cells = [cell for method in shown for cell in board.standing(method, condition).cells if cell.failure is None]
    panels = []
    for attack in dict.fromkeys(attack_text(cell) for cell in cells):
        rows = [
            {"attack": attack, "method": names[cell.bout.method], "round": round, "accuracy": accuracy}
            for cell in cells
            if attack_text(cell) == attack
            for round, accuracy in _means(cell)
        ]
        values = [float(str(row["accuracy"])) for row in rows]
        axis = fitted("test accuracy", values, share=True)
        panels.append(
            line_panel(rows, x="round", y="accuracy", series="method", look=look, axis=axis, title=attack, height=160)
        )
    return Drawing(f"curves-{_file(board, condition)}", tuple(panels), f"The {len(shown)} best methods.")


def _means(cell: BoutResult) -> list[tuple[int, float]]:
    """Return the mean accuracy over the seeds at every evaluation that all of them reached."""
    histories = [[(each.round, each.accuracy or 0.0) for each in record.history] for record in cell.records]
    together = zip(*histories, strict=False)
    return [(points[0][0], float(np.mean([accuracy for _, accuracy in points]))) for points in together]
