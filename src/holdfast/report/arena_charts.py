"""The charts of an arena: every cell of a condition, and the worst case against the number of Byzantine workers."""

from collections.abc import Mapping

import altair as alt

from holdfast.arena import Condition, Leaderboard, Standing
from holdfast.arena.results import attack_text
from holdfast.data import PARTITIONS
from holdfast.methods import Method
from holdfast.report.colours import colour_and_dash, strokes
from holdfast.report.pictures import Chart

WORST = "worst case"
LINES = 8
"""Methods whose curves are drawn: the best overall. More lines could not be told apart."""


def heat_map(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Chart:
    """Return the final accuracy of every cell: one row per method, the best overall first, one column per attack."""
    points = [
        {"method": names[method], "attack": column, "accuracy": value, "why": why}
        for method in board.ranked
        for column, value, why in _row(board.standing(method, condition))
    ]
    columns = list(dict.fromkeys(str(point["attack"]) for point in points))
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("attack:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=200)),
        y=alt.Y("method:N", sort=[names[method] for method in board.ranked], title=None, axis=alt.Axis(labelLimit=260)),
        tooltip=["method:N", "attack:N", alt.Tooltip("accuracy:Q", format=".4f"), "why:N"],
    )
    colour = alt.Color("accuracy:Q", scale=alt.Scale(scheme="viridis", domain=[0, 1]), legend=None)
    cells = base.mark_rect().encode(color=colour)
    ink = alt.condition("datum.accuracy > 0.45", alt.value("black"), alt.value("white"))
    numbers = base.mark_text(fontSize=10).encode(text=alt.Text("accuracy:Q", format=".2f"), color=ink)
    numbers = numbers.transform_filter("isValid(datum.accuracy)")
    missing = base.mark_text(fontSize=10, fontWeight="bold", color="#c8102e", text="failed")
    missing = missing.transform_filter("!isValid(datum.accuracy)")
    written: Chart = alt.layer(cells, numbers, missing).properties(width=alt.Step(38), height=alt.Step(22)).to_dict()
    return written


def _row(standing: Standing) -> list[tuple[str, float | None, str]]:
    worst = standing.worst
    cells = [
        (attack_text(cell), None if cell.failure else cell.final.mean, cell.failure or "") for cell in standing.cells
    ]
    told = "a cell could not be played" if worst is None else f"under {attack_text(worst)}"
    return [(WORST, standing.score, told), *cells]


def robustness_curves(board: Leaderboard, names: Mapping[Method, str]) -> Chart:
    """Return the worst-case accuracy against q, one panel per partition: where each method breaks."""
    shown = board.ranked[:LINES]
    points = [
        {
            "method": names[standing.method],
            "partition": PARTITIONS.text(standing.condition.partition),
            "q": standing.condition.byzantine,
            "accuracy": standing.score,
        }
        for standing in board.standings
        if standing.method in shown and standing.score is not None
    ]
    colour, dash = colour_and_dash("method", strokes(names[method] for method in shown))
    lines = alt.Chart(width=320, height=240).mark_line(strokeWidth=2, point=True)
    lines = lines.encode(
        x=alt.X("q:Q", title="Byzantine workers", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("accuracy:Q", title="accuracy, worst case over the attacks", scale=alt.Scale(domain=[0, 1])),
        color=colour,
        strokeDash=dash,
        tooltip=["method:N", "partition:N", "q:Q", alt.Tooltip("accuracy:Q", format=".3f")],
    )
    chart: Chart = lines.facet(
        facet=alt.Facet("partition:N", title=None, header=alt.Header(labelFontWeight="bold")),
        columns=2,
        data=alt.InlineData(values=points),
    ).to_dict()
    return chart


def cell_curves(board: Leaderboard, condition: Condition, names: Mapping[Method, str]) -> Chart:
    """Return accuracy over rounds (mean over the seeds): one panel per attack, one line per method."""
    points = [
        {"method": names[standing.method], "attack": attack_text(cell), "round": point.round}
        | {"accuracy": point.accuracy}
        for standing in board.standings
        if standing.condition == condition
        for cell in standing.cells
        for record in cell.records
        for point in record.history
    ]
    colour, dash = colour_and_dash("method", strokes(names[method] for method in board.ranked))
    lines = alt.Chart(width=230, height=170).mark_line(strokeWidth=1.5, clip=True)
    lines = lines.encode(
        x=alt.X("round:Q", title="round"),
        y=alt.Y("mean(accuracy):Q", title="test accuracy"),
        color=colour,
        strokeDash=dash,
        tooltip=["method:N", "attack:N", "round:Q", alt.Tooltip("mean(accuracy):Q", format=".3f")],
    )
    chart: Chart = lines.facet(
        facet=alt.Facet("attack:N", title=None, header=alt.Header(labelFontWeight="bold")),
        columns=4,
        data=alt.InlineData(values=points),
    ).to_dict()
    return chart
