"""Line charts: a colour, a dash and a name at its end tell each line from the others."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import altair as alt

from holdfast.report.axes import Axis, logarithmic_ticks
from holdfast.report.colours import WIDE, WIDTH, Stroke, variable
from holdfast.report.drawing import ROWS, Panel, Row

HEIGHT = 220
GAP = 13
"""Pixels between two names at the ends of lines."""
CEILING = "ceiling"


def line_panel(
    rows: Sequence[Row],
    *,
    x: str,
    y: str,
    series: str,
    look: Mapping[str, Stroke],
    axis: Axis,
    x_title: str | None = None,
    title: str = "",
    subtitle: str = "",
    band: tuple[str, str] | None = None,
    limit: float | None = None,
    x_axis: Axis | None = None,
    height: int = HEIGHT,
    tips: Sequence[str] = (),
    groups: str | None = None,
) -> Panel:
    """Return one line per name in `series`. A `band` has the columns of its extremes; `limit` is a dotted line.

    The pointer shows x, y and the columns `tips`. With `groups`, each of its values has a line in the stroke of its
    series.
    """
    names = _names(rows, series)
    colours = alt.Scale(domain=names, range=[variable(look[name].colour) for name in names])
    dashes = alt.Scale(domain=names, range=[list(look[name].dash) for name in names])
    base = alt.Chart(alt.NamedData(ROWS)).encode(
        x=_x_channel(x, x_title, x_axis), color=alt.Color(f"{series}:N", scale=colours, legend=None)
    )
    up = alt.Y(f"{y}:Q", title=axis.title, scale=_scale(axis), axis=_ticks(axis))
    if groups:
        base = base.encode(detail=f"{groups}:N")
    tip = [f"{series}:N", *(f"{name}:N" for name in tips), f"{x}:Q", alt.Tooltip(f"{y}:Q", format=".4g")]
    lines = base.mark_line(clip=True).encode(
        y=up,
        strokeDash=alt.StrokeDash(f"{series}:N", scale=dashes, legend=None),
        strokeWidth=_widths(series, names, look),
    )
    # lines are thin: the pointer finds invisible points
    once = len({row[x] for row in rows}) == 1  # a single point makes no line
    points = base.mark_point(size=120, filled=True, opacity=int(once), clip=True).encode(y=up, tooltip=tip)
    layers: list[alt.Chart] = [lines, points, *_name_ends(rows, x, y, series, look, axis, height)]
    if band:
        low, high = band
        layers.insert(0, base.mark_area(opacity=0.18, clip=True).encode(y=alt.Y(f"{low}:Q"), y2=f"{high}:Q"))
    if limit is not None:
        layers[:0] = _limit(limit, axis, height)
    chart = alt.LayerChart(layer=layers, height=height)
    if title or subtitle:
        chart = chart.properties(title=alt.TitleParams(title or " ", subtitle=subtitle or alt.Undefined))
    return Panel(rows, chart)


def space_out(places: Sequence[float], length: int, gap: int = GAP) -> list[float]:
    """Return places at least `gap` apart, in their order, so that names do not overlap.

    >>> space_out([100.0, 102.0, 10.0], 200), space_out([198.0, 199.0], 200)
    ([100.0, 113.0, 10.0], [187.0, 200.0])
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + gap)
    last = float(length)
    for each in reversed(order):
        moved[each] = min(moved[each], last)
        last = moved[each] - gap
    return moved


def _name_ends(
    rows: Sequence[Row],
    x: str,
    y: str,
    series: str,
    look: Mapping[str, Stroke],
    axis: Axis,
    height: int,
) -> list[alt.Chart]:
    """Return the names at the right, each tied to the end of its line. A line that ends early has its name there."""
    drawn = [row for row in rows if row[y] is not None and isfinite(row[y])]
    if not drawn:
        return []
    farthest = max(row[x] for row in rows)
    last = {name: max(row[x] for row in drawn if str(row[series]) == name) for name in _names(drawn, series)}
    early = {name: at for name, at in last.items() if at < farthest}
    ended: dict[str, list[float]] = {}
    for row in drawn:
        if row[x] == last[str(row[series])]:
            ended.setdefault(str(row[series]), []).append(axis.place(row[y], height))
    inside = {name: ended.pop(name) for name in early}
    return [*_name_at_right(ended, look, height), *_name_early_ends(inside, early, x, farthest, height)]


def _names(rows: Sequence[Row], series: str) -> list[str]:
    return list(dict.fromkeys(str(row[series]) for row in rows))


def _name_early_ends(
    ended: Mapping[str, Sequence[float]], at: Mapping[str, float], x: str, farthest: float, height: int
) -> list[alt.Chart]:
    """Return the names of lines that end early, beside their ends."""
    if not ended:
        return []
    places = space_out([sum(each) / len(each) - GAP / 2 for each in ended.values()], height)
    ends = [
        {"name": name, x: at[name], "to": to, "inwards": at[name] > farthest / 2}
        for name, to in zip(ended, places, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=ends))
    base = base.encode(x=f"{x}:Q", y=alt.Y("to:Q", scale=None), text="name:N")
    return halo_text(base, align=align_inwards("datum.inwards"), fontSize=11)


def align_inwards(test: str) -> alt.ExprRef:
    """Return the alignment of texts that stay inside their chart: they end at their place where `test` is true."""
    return alt.ExprRef(expr=f"{test} ? 'right' : 'left'")


def _name_at_right(ended: Mapping[str, Sequence[float]], look: Mapping[str, Stroke], height: int) -> list[alt.Chart]:
    means = [sum(places) / len(places) for places in ended.values()]
    ends = [
        {"name": name, "from": end, "to": place, "colour": variable(look[name].colour)}
        for name, end, place in zip(ended, means, space_out(means, height), strict=True)
    ]
    if not ends:
        return []
    base = alt.Chart(alt.InlineData(values=ends))
    colour = alt.Color("colour:N", scale=None)
    ties = base.mark_rule(strokeWidth=1, x2Offset=12).encode(
        x=alt.value("width"),
        x2=alt.value("width"),
        y=alt.Y("from:Q", scale=None),
        y2="to:Q",
        color=colour,
    )
    texts = base.mark_text(align="left", baseline="middle", dx=15, fontSize=11).encode(
        x=alt.value("width"), y=alt.Y("to:Q", scale=None), text="name:N"
    )
    return [ties, texts]


def _limit(limit: float, axis: Axis, height: int) -> list[alt.Chart]:
    at = axis.place(limit, height)
    base = alt.Chart(alt.InlineData(values=[{"text": f"{CEILING} {limit:.3g}", "at": at}]))
    rule = base.mark_rule(strokeDash=[1, 3], strokeWidth=2, color=variable("soft")).encode(y=alt.Y("at:Q", scale=None))
    return [rule, *halo_text(base.encode(x=alt.value(0), y=alt.Y("at:Q", scale=None), text="text:N"), dx=4, dy=-7)]


def halo_text(base: alt.Chart, width: int = 3, **look: Any) -> list[alt.Chart]:
    """Return a halo and, above it, small soft texts, so that lines below do not strike them through."""
    options: dict[str, Any] = {"align": "left", "fontSize": 10} | look
    halo = base.mark_text(**options, stroke=variable("paper"), strokeWidth=width, strokeJoin="round")
    return [halo, base.mark_text(**options, color=variable("soft"))]


def _x_channel(x: str, title: str | None, axis: Axis | None) -> alt.X:
    if axis is None:
        ticks = alt.Axis(
            tickCount=5, format=",d", grid=False, labelFlush=False, labelOverlap="greedy", labelSeparation=6
        )
        return alt.X(f"{x}:Q", title=title or x, axis=ticks, scale=alt.Scale(nice=False, zero=False))
    return alt.X(f"{x}:Q", title=title or axis.title, scale=_scale(axis), axis=_ticks(axis))


def _scale(axis: Axis) -> alt.Scale:
    kind: dict[str, Any] = {"type": "log"} if axis.logarithmic else {"zero": False}
    return alt.Scale(domain=[axis.low, axis.high], nice=False, **kind)


def _ticks(axis: Axis) -> alt.Axis:
    form = axis.form or alt.Undefined
    if axis.logarithmic:
        return alt.Axis(format=form, values=logarithmic_ticks(axis.low, axis.high))
    return alt.Axis(tickCount=5, format=form)


def _widths(series: str, names: Sequence[str], look: Mapping[str, Stroke]) -> Any:
    wide = [name for name in names if look[name].width > WIDTH]
    test = f"indexof({json.dumps(wide)}, datum[{json.dumps(series)}]) >= 0"
    return alt.condition(test, alt.value(WIDE), alt.value(WIDTH))
