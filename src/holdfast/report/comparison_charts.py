"""Charts of results, as Vega-Lite: the same chart becomes a part of the page, a PNG or an SVG."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import altair as alt
import vl_convert

from holdfast.experiments.cells import Cell
from holdfast.experiments.records import Record
from holdfast.report.colours import Stroke, colour_and_dash, strokes
from holdfast.report.settings import grouped, labels, reachable


def accuracy_curves(
    by_attack: Mapping[str, Mapping[str, Record]], look: Mapping[str, Stroke], columns: int = 4
) -> alt.FacetChart:
    """Return test accuracy over rounds: one panel per attack, one line per method, dotted the best possible."""
    points = [
        {"attack": attack, "method": method, "at best": reachable(by_method)}
        | {"round": point.round, "accuracy": point.accuracy}
        | {"low": point.accuracy - error, "high": point.accuracy + error}
        for attack, by_method in by_attack.items()
        for method, result in by_method.items()
        for point, error in zip(result.history, _errors(result), strict=True)
        if point.accuracy is not None
    ]
    methods = dict.fromkeys(method for by_method in by_attack.values() for method in by_method)
    colour, dash = colour_and_dash("method", {method: look[method] for method in methods})
    x = alt.X("round:Q", title="round")
    y = alt.Y("accuracy:Q", title="test accuracy", scale=alt.Scale(domain=[0, 1]))
    tip = ["method:N", "attack:N", "round:Q", alt.Tooltip("accuracy:Q", format=".3f")]
    lines = alt.Chart(width=230, height=170).mark_line(strokeWidth=2, clip=True)
    lines = lines.encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tip)
    ceiling = alt.Chart().mark_rule(strokeDash=[1, 3], strokeWidth=2, color="#888").encode(y="mean(at best):Q")
    band = alt.Chart().mark_area(opacity=0.2, clip=True).encode(x=x, y="low:Q", y2="high:Q", color=colour)
    layers = (ceiling, band, lines) if any(point["low"] != point["high"] for point in points) else (ceiling, lines)
    chart: alt.FacetChart = alt.layer(*layers).facet(
        facet=alt.Facet("attack:N", title=None, sort=list(by_attack), header=alt.Header(labelFontWeight="bold")),
        columns=columns,
        data=alt.InlineData(values=points),
    )
    return chart


def _errors(result: Record) -> list[float]:
    """Return the standard error of each evaluation's accuracy; 0 for a single run."""
    errors = result.errors if isinstance(result, Cell) else ()
    return [error.accuracy or 0.0 for error in errors] or [0.0] * len(result.history)


def plot(results: Sequence[Record]) -> alt.VConcatChart:
    """Return the curves of all partitions below each other."""
    look = strokes(labels(results))
    chart: alt.VConcatChart = alt.vconcat(
        *(
            accuracy_curves(by_attack, look).properties(title=partition)
            for partition, by_attack in grouped(results).items()
        )
    )
    return chart


def curve_pictures(results: Sequence[Record]) -> Iterator[tuple[str, bytes]]:
    """Yield the curves of each partition as PNG and SVG, with their file names."""
    look = strokes(labels(results))
    for partition, by_attack in grouped(results).items():
        chart = json.dumps(accuracy_curves(by_attack, look).to_dict())
        name = f"curves-{re.sub('[^a-z0-9.=-]+', '-', partition.lower())}"
        yield f"{name}.png", vl_convert.vegalite_to_png(chart, scale=2)
        yield f"{name}.svg", vl_convert.vegalite_to_svg(chart).encode()
