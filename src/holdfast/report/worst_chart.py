"""The chart of worst cases: a line per method, a dot per attack, the worst large and named."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import altair as alt

from holdfast.report.axes import Axis
from holdfast.report.colours import Stroke, variable
from holdfast.report.drawing import ROWS, Drawing, Panel, Row
from holdfast.report.line_charts import CEILING, align_inwards, halo_text
from holdfast.runs.verdicts import Score

GUESSING = "guessing"
STEP = 38
"""Pixels from one method to the next."""


class Dot(NamedTuple):
    """One method under one attack."""

    method: str
    attack: str
    value: float | None
    """None if the method diverged."""
    text: str
    """The value as the chart writes it."""
    worst: bool
    """Whether this is the method's worst case."""
    withstood: bool = True
    """Whether any method withstood the attack."""


def worst_chart(
    name: str,
    dots: Sequence[Dot],
    look: Mapping[str, Stroke],
    axis: Axis,
    score: Score,
    limits: tuple[float | None, float | None],
    remarks: tuple[str, str] = ("", ""),
) -> Drawing:
    """Return the chart, methods in the order of their dots, with guessing and the ceiling, the `limits`, as lines.

    `remarks` come before and after its explanation.
    """
    low, ceiling = limits
    guessing = None if low is None or low < axis.low else low  # the axis need not reach down to guessing
    bad = axis.low if score.higher else axis.high
    rows: list[Row] = [
        {
            "method": dot.method,
            "attack": dot.attack,
            score.name: dot.value,
            "place": bad if dot.value is None else max(dot.value, axis.low),
            "worst": dot.worst,
            "withstood": dot.withstood,
            "says": f"{dot.text}  {dot.attack}",
        }
        for dot in dots
    ]
    says = (
        remarks[0],
        "One dot per attack. The large dot is the worst case of its method.",
        _explain(guessing, ceiling),
        remarks[1],
    )
    return Drawing(
        name, (_panel(rows, look, axis, score, (guessing, ceiling)),), " ".join(filter(None, says)), columns=1
    )


def _explain(guessing: float | None, ceiling: float | None) -> str:
    """Return what the lines are."""
    dashed = "Red: guessing, which needs no learning; a dot at or left of it has learned nothing."
    dotted = "Dotted: the ceiling under attack."
    return " ".join(text for text, value in ((dashed, guessing), (dotted, ceiling)) if value is not None)


def _panel(
    rows: list[Row],
    look: Mapping[str, Stroke],
    axis: Axis,
    score: Score,
    limits: tuple[float | None, float | None],
) -> Panel:
    methods = list(dict.fromkeys(row["method"] for row in rows))
    colours = alt.Scale(domain=methods, range=[variable(look[method].colour) for method in methods])
    names = alt.Axis(labelFontSize=12, labelColor=variable("ink"), domain=False, ticks=False, labelPadding=12)
    base = alt.Chart(alt.NamedData(ROWS)).encode(
        y=alt.Y("method:N", sort=methods, title=None, axis=names),
        x=alt.X(
            "place:Q",
            title=axis.title,
            axis=alt.Axis(tickCount=6, format=axis.form or alt.Undefined),
            scale=alt.Scale(domain=[axis.low, axis.high], nice=False, zero=False),
        ),
        color=alt.Color("method:N", scale=colours, legend=None),
    )
    withstood = base.transform_filter("datum.withstood")
    spans = withstood.mark_rule(strokeWidth=1.5, opacity=0.5).encode(x="min(place):Q", x2="max(place):Q")
    tip = ["method:N", "attack:N", alt.Tooltip(f"{score.name}:Q", format=".4f")]
    dots = withstood.mark_point(filled=True, size=36, opacity=0.55).encode(tooltip=tip)
    lost = base.transform_filter("!datum.withstood")
    crosses = lost.mark_point(shape="cross", angle=45, filled=True, size=50).encode(tooltip=tip)
    worst = base.transform_filter("datum.worst")
    marks = worst.mark_point(filled=True, size=110, opacity=1).encode(tooltip=tip)
    third = axis.low + (axis.high - axis.low) / 3  # on a narrow page names of methods take the left: little room right
    named = worst.encode(text="says:N", color=alt.value(variable("ink")))
    align = align_inwards(f"datum.place > {third}")
    halo, texts = halo_text(named, width=4, align=align, dy=-14, fontSize=11)
    layers = [spans, dots, crosses, halo, marks, texts]
    guessing, ceiling = limits
    below = [] if guessing is None else _line(GUESSING, guessing, "fails", "left")
    above = [] if ceiling is None else _line(CEILING, ceiling, "soft", "right")
    return Panel(rows, alt.LayerChart(layer=[*below, *above, *layers], height=STEP * len(methods)))


def _line(name: str, value: float, colour: str, align: str) -> list[alt.Chart]:
    base = alt.Chart(alt.InlineData(values=[{"at": value, "text": f"{name} {value:.3g}"}]))
    rule = base.mark_rule(strokeDash=[1, 3], strokeWidth=2, color=variable(colour)).encode(x="at:Q")
    # one at the foot, one above the plot: on a narrow page they would meet
    text = base.encode(x="at:Q", y=alt.value("height" if name == CEILING else 0), text="text:N")
    return [rule, *halo_text(text, align=align, dx=5 if align == "left" else -5, dy=-8)]
