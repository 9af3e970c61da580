"""Charts of a comparison: the worst case of each method, and how all of them got there."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from holdfast.files import file_name
from holdfast.report.axes import Axis, fitted, of_score
from holdfast.report.colours import Stroke, strokes, variable
from holdfast.report.drawing import ROWS, Drawing, Panel, notebook_chart, pictures
from holdfast.report.lines import POSSIBLE, haloed, inwards, line_panel
from holdfast.report.settings import grouped, labels, reachable
from holdfast.report.tables import cell
from holdfast.report.worst import ByAttack, lost_attacks, worst_cases
from holdfast.runs.records import Record
from holdfast.runs.verdicts import Score, score_of
from holdfast.studies.table import Cell

LOW, HIGH = "low", "high"
"""Columns of the standard errors."""
STEP = 26
"""Pixels from one method to the next."""


def curves(partition: str, by_attack: ByAttack, look: Mapping[str, Stroke]) -> Drawing:
    """Return the score over rounds: one panel per attack, one line per method, dotted the best possible."""
    score = score_of(result for by_method in by_attack.values() for result in by_method.values())
    beside = any(result.last is None for by_method in by_attack.values() for result in by_method.values())
    panels = [_curves(attack, by_method, look, score, " " * beside) for attack, by_method in by_attack.items()]
    return Drawing(f"curves-{file_name(partition)}", tuple(panels), "Each panel has its own axis.")


def _curves(
    attack: str, by_method: Mapping[str, Record], look: Mapping[str, Stroke], score: Score, below: str = ""
) -> Panel:
    """Return the panel of an attack; `below` its title stands who diverged, or what is given, if nobody did."""
    rows = [
        {"attack": attack, "method": method, "round": point.round, score.name: score.of(point)} | error
        for method, result in by_method.items()
        for point, error in zip(result.history, _errors(result, score), strict=True)
    ]
    limit = reachable(by_method) if score.name == "accuracy" else None
    values = [value for row in rows if isinstance(value := row[score.name], float)]
    ends = [value for result in by_method.values() if (value := score.of(result.last)) is not None]
    shown = limit if limit is not None and limit < 1 else None
    lost = [f"{method} {cell(result)}" for method, result in by_method.items() if result.last is None]
    return line_panel(
        rows,
        x="round",
        y=score.name,
        series="method",
        look=look,
        axis=of_score(score, ends, [*values, *([shown] if shown else [])]),
        title=attack,
        subtitle=", ".join(lost) or below,
        limit=shown,
        band=(LOW, HIGH) if any(LOW in row for row in rows) else None,
        told=["attack"],
    )


def _errors(result: Record, score: Score) -> list[dict[str, float]]:
    """Return one standard error below and above each evaluation, where there are several seeds."""
    errors = result.errors if isinstance(result, Cell) else ()
    pairs = [(score.of(point), score.of(error)) for point, error in zip(result.history, errors, strict=False)]
    found = [
        {} if value is None or error is None else {LOW: value - error, HIGH: value + error} for value, error in pairs
    ]
    return found or [{} for _ in result.history]


def worst_chart(partition: str, by_attack: ByAttack, look: Mapping[str, Stroke]) -> Drawing:
    """Return every method's scores under all attacks on a line of its own; the worst is filled and named."""
    score = score_of(result for by_method in by_attack.values() for result in by_method.values())
    ranked, lost = worst_cases(by_attack, score), lost_attacks(by_attack, score)
    worst = {case.method: case for case in ranked}
    reached: list[dict[str, Any]] = [
        {"method": case.method, "attack": attack, score.name: score.of(by_method[case.method].last)}
        for case in ranked
        for attack, by_method in by_attack.items()
        if case.method in by_method
    ]
    known = [max(row[score.name], score.least) for row in reached if row[score.name] is not None]
    limits = [limit for by_method in by_attack.values() if (limit := reachable(by_method)) is not None and limit < 1]
    axis = fitted(score.title, known, limits, share=score.share)
    bad = axis.low if score.higher else axis.high
    rows = [
        row
        | {
            "place": bad if row[score.name] is None else max(row[score.name], axis.low),
            "worst": row["attack"] == worst[row["method"]].attack,
            "withstood": row["attack"] not in lost,
            "says": f"{cell(by_attack[row['attack']][row['method']])}  {row['attack']}",
        }
        for row in reached
    ]
    limit = min(limits) if limits else None
    panel = worst_panel(rows, list(worst), look, axis, score.name, limit)
    says = "A dot for each attack; the large one is the method's worst case."
    says += " Dotted: the best possible under attack." if limits else ""
    says += f" Crosses: what nobody withstood ({', '.join(lost)})." if lost else ""
    return Drawing(f"worst-{file_name(partition)}", (panel,), says, columns=1)


def worst_panel(
    rows: list[dict[str, Any]],
    methods: Sequence[str],
    look: Mapping[str, Stroke],
    axis: Axis,
    value: str,
    limit: float | None,
) -> Panel:
    """Return a line for each method, a dot on it for each attack; `limit` is dotted.

    A row has method, attack and the column `value`, the `place` where it is drawn, whether it is the `worst` of its
    method, what it then `says`, and whether anybody has `withstood` the attack.
    """
    colours = alt.Scale(domain=methods, range=[variable(look[method].colour) for method in methods])
    base = alt.Chart(alt.NamedData(ROWS)).encode(
        y=alt.Y("method:N", sort=methods, title=None, axis=_names_axis()),
        x=alt.X(
            "place:Q",
            title=axis.title,
            axis=alt.Axis(tickCount=6, format=axis.form or alt.Undefined),
            scale=alt.Scale(domain=[axis.low, axis.high], nice=False, zero=False),
        ),
        color=alt.Color("method:N", scale=colours, legend=None),
    )
    tip: list[Any] = ["method:N", "attack:N", alt.Tooltip(f"{value}:Q", format=".4f")]
    spans = (
        base.transform_filter("datum.withstood")
        .mark_rule(strokeWidth=1.5, opacity=0.5)
        .encode(x="min(place):Q", x2="max(place):Q")
    )
    small = base.encode(tooltip=tip)
    dots = small.transform_filter("datum.withstood").mark_point(filled=True, size=36, opacity=0.55)
    crosses = small.transform_filter("!datum.withstood").mark_point(shape="cross", angle=45, filled=True, size=50)
    filled = base.transform_filter("datum.worst")
    marks = filled.mark_point(filled=True, size=110, opacity=1).encode(tooltip=tip)
    third = axis.low + (axis.high - axis.low) / 3  # names of methods take the left of a narrow page: little is right
    said: dict[str, Any] = {"align": inwards(f"datum.place > {third}"), "dy": -14, "fontSize": 11}
    paper = filled.mark_text(**said, stroke=variable("paper"), strokeWidth=4, strokeJoin="round").encode(text="says:N")
    texts = filled.mark_text(**said).encode(text="says:N", color=alt.value(variable("ink")))
    layers: list[alt.Chart] = [spans, dots, crosses, paper, marks, texts]
    if limit is not None:
        layers[:0] = _best_possible(limit)
    chart = alt.LayerChart(layer=layers, height=(STEP + 12) * len(methods))
    return Panel(rows, chart)


def _names_axis() -> alt.Axis:
    return alt.Axis(labelFontSize=12, labelColor=variable("ink"), domain=False, ticks=False, labelPadding=12)


def _best_possible(limit: float) -> list[alt.Chart]:
    base = alt.Chart(alt.InlineData(values=[{"at": limit, "text": f"{POSSIBLE} {limit:.3g}"}]))
    rule = base.mark_rule(strokeDash=[1, 3], strokeWidth=2, color=variable("soft")).encode(x="at:Q")
    return [rule, *haloed(base.encode(x="at:Q", y=alt.value("height"), text="text:N"), align="right", dx=-5, dy=-8)]


def plot(results: Sequence[Record]) -> alt.ConcatChart:
    """Return the curves of all partitions, one panel per partition and attack, for a notebook."""
    look, groups = strokes(labels(results)), grouped(results)
    score = score_of(results)
    panels = tuple(
        _curves(attack if len(groups) == 1 else f"{partition}, {attack}", by_method, look, score)
        for partition, by_attack in groups.items()
        for attack, by_method in by_attack.items()
    )
    return notebook_chart(Drawing("curves", panels))


def comparison_pictures(results: Sequence[Record]) -> Iterator[tuple[str, bytes]]:
    """Yield the worst cases and the curves of each partition as PNG and SVG, with their file names."""
    look = strokes(labels(results))
    for partition, by_attack in grouped(results).items():
        for drawn in (worst_chart(partition, by_attack, look), curves(partition, by_attack, look)):
            yield from pictures(drawn.name, drawn.picture(), pdf=False)
