"""Lines over rounds that can be told apart by colour, dash and the name at their end."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import altair as alt

from holdfast.report.axes import Axis, logarithmic_ticks
from holdfast.report.colours import WIDE, WIDTH, Stroke, variable
from holdfast.report.drawing import ROWS, Panel

HEIGHT = 220
GAP = 13
"""Pixels between two names at the ends of lines."""
POSSIBLE = "best possible"


def line_panel(
    rows: Sequence[Mapping[str, Any]],
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
    told: Sequence[str] = (),
    groups: str | None = None,
) -> Panel:
    """Return a line for each name in `series`; `band` are the columns of its extremes, `limit` is drawn dotted.

    The columns `told` are shown at the pointer, besides x and y. With `groups`, one line for each of its values, in
    the stroke of its series.
    """
    names = _names(rows, series)
    base = alt.Chart(alt.NamedData(ROWS)).encode(x=_across(x, x_title, x_axis), color=_colours(series, names, look))
    up = alt.Y(f"{y}:Q", title=axis.title, scale=_scale(axis), axis=_ticks(axis))
    if groups:
        base = base.encode(detail=f"{groups}:N")
    tip = [f"{series}:N", *(f"{name}:N" for name in told), f"{x}:Q", alt.Tooltip(f"{y}:Q", format=".4g")]
    lines = base.mark_line(clip=True).encode(
        y=up,
        strokeDash=_by_name(alt.StrokeDash, series, {name: look[name].dash for name in names}),
        strokeWidth=_widths(series, names, look),
    )
    # lines are thin: what a pointer finds are unseen points
    once = len({row[x] for row in rows}) == 1  # a single point makes no line
    points = base.mark_point(size=120, filled=True, opacity=int(once), clip=True).encode(y=up, tooltip=tip)
    layers: list[alt.Chart] = [lines, points, *_ends(rows, x, y, series, look, axis, height)]
    if band:
        low, high = band
        layers.insert(0, base.mark_area(opacity=0.18, clip=True).encode(y=alt.Y(f"{low}:Q"), y2=f"{high}:Q"))
    if limit is not None:
        layers[:0] = _limit(limit, axis, height)
    chart = alt.LayerChart(layer=layers, height=height)
    if title or subtitle:
        chart = chart.properties(title=alt.TitleParams(title or " ", subtitle=subtitle or alt.Undefined))
    return Panel(rows, chart)


def spaced(places: Sequence[float], length: int, gap: int = GAP) -> list[float]:
    """Return places moved apart, in their order, so that names do not overlap.

    >>> spaced([100.0, 102.0, 10.0], 200), spaced([198.0, 199.0], 200)
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


def _ends(
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    series: str,
    look: Mapping[str, Stroke],
    axis: Axis,
    height: int,
) -> list[alt.Chart]:
    """Return the names at the right, each tied to the end of its line; a line that ends early has its own there."""
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
    return [*_at_the_right(ended, look, height), *_where_they_end(inside, early, x, farthest, height)]


def _names(rows: Sequence[Mapping[str, Any]], series: str) -> list[str]:
    return list(dict.fromkeys(str(row[series]) for row in rows))


def _where_they_end(
    ended: Mapping[str, Sequence[float]], at: Mapping[str, float], x: str, farthest: float, height: int
) -> list[alt.Chart]:
    """Return the names of lines that end early, beside their ends."""
    if not ended:
        return []
    places = spaced([sum(each) / len(each) - GAP / 2 for each in ended.values()], height)
    ends = [
        {"name": name, x: at[name], "to": to, "inwards": at[name] > farthest / 2}
        for name, to in zip(ended, places, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=ends))
    base = base.encode(x=f"{x}:Q", y=alt.Y("to:Q", scale=None), text="name:N")
    return haloed(base, align=inwards("datum.inwards"), fontSize=11)


def inwards(asked: str) -> alt.ExprRef:
    """Return how texts are aligned that must not leave their chart: to end at their place where `asked` is true."""
    return alt.ExprRef(expr=f"{asked} ? 'right' : 'left'")


def _at_the_right(ended: Mapping[str, Sequence[float]], look: Mapping[str, Stroke], height: int) -> list[alt.Chart]:
    means = [sum(places) / len(places) for places in ended.values()]
    ends = [
        {"name": name, "from": end, "to": place, "colour": variable(look[name].colour)}
        for name, end, place in zip(ended, means, spaced(means, height), strict=True)
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
    base = alt.Chart(alt.InlineData(values=[{"text": f"{POSSIBLE} {limit:.3g}", "at": at}]))
    rule = base.mark_rule(strokeDash=[1, 3], strokeWidth=2, color=variable("soft")).encode(y=alt.Y("at:Q", scale=None))
    return [rule, *haloed(base.encode(x=alt.value(0), y=alt.Y("at:Q", scale=None), text="text:N"), dx=4, dy=-7)]


def haloed(base: alt.Chart, **placed: Any) -> list[alt.Chart]:
    """Return small soft texts, on paper of their own: lines below them do not strike them through."""
    said: dict[str, Any] = {"align": "left", "fontSize": 10} | placed
    halo = base.mark_text(**said, stroke=variable("paper"), strokeWidth=3, strokeJoin="round")
    return [halo, base.mark_text(**said, color=variable("soft"))]


def _across(x: str, title: str | None, axis: Axis | None) -> alt.X:
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


def _colours(series: str, names: Sequence[str], look: Mapping[str, Stroke]) -> alt.Color:
    found: alt.Color = _by_name(alt.Color, series, {name: variable(look[name].colour) for name in names})
    return found


def _widths(series: str, names: Sequence[str], look: Mapping[str, Stroke]) -> Any:
    wide = [name for name in names if look[name].width > WIDTH]
    asked = f"indexof({json.dumps(wide)}, datum[{json.dumps(series)}]) >= 0"
    return alt.condition(asked, alt.value(WIDE), alt.value(WIDTH))


def _by_name(channel: Any, series: str, values: Mapping[str, Any]) -> Any:
    scale = alt.Scale(domain=list(values), range=[list(v) if isinstance(v, tuple) else v for v in values.values()])
    return channel(f"{series}:N", scale=scale, legend=None)
