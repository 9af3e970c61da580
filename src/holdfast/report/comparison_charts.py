"""Charts of results, as Vega-Lite: the same chart becomes a part of the page, a PNG or an SVG."""

import json
from collections.abc import Iterator, Sequence

import altair as alt
import vl_convert

from holdfast.experiments.result import Result
from holdfast.report.settings import grouped, reachable

COLOURS = {
    "rsa": "#c8102e",
    "ideal-rsa": "#f4a6b0",
    "ideal-sgd": "#7f7f7f",
    "geometric-median": "#1f77b4",
    "krum": "#ff9f1c",
    "median": "#2ca02c",
    "trimmed-mean": "#17becf",
    "sgd": "#9467bd",
}
"""One colour a method, in every chart; those who are told the truth are grey or pale."""


def accuracy_curves(results: Sequence[Result], columns: int = 4) -> alt.FacetChart:
    """Return test accuracy over rounds: a panel an attack, a line a method, a dotted line at the best possible."""
    best = {attack: reachable(by_method) for attack, by_method in next(iter(grouped(results).values())).items()}
    points = [
        {
            "attack": result.spec.attack,
            "method": result.spec.method,
            "round": point.round,
            "accuracy": point.accuracy,
            "at best": best[result.spec.attack],
        }
        for result in results
        for point in result.history
    ]
    methods = [method for method in COLOURS if any(result.spec.method == method for result in results)]
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=2, clip=True)
        .encode(
            x=alt.X("round:Q", title="round"),
            y=alt.Y("accuracy:Q", title="test accuracy", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "method:N",
                title=None,
                scale=alt.Scale(domain=methods, range=[COLOURS[method] for method in methods]),
                legend=alt.Legend(orient="top", symbolStrokeWidth=3),
            ),
            strokeDash=alt.condition(
                alt.FieldOneOfPredicate("method", ["ideal-sgd", "ideal-rsa"]), alt.value([5, 3]), alt.value([1, 0])
            ),
            tooltip=["method:N", "attack:N", "round:Q", alt.Tooltip("accuracy:Q", format=".3f")],
        )
        .properties(width=230, height=170)
    )
    ceiling = alt.Chart().mark_rule(strokeDash=[1, 3], strokeWidth=2, color="#888").encode(y="mean(at best):Q")
    chart: alt.FacetChart = alt.layer(ceiling, lines).facet(
        facet=alt.Facet("attack:N", title=None, sort=list(best), header=alt.Header(labelFontWeight="bold")),
        columns=columns,
        data=alt.InlineData(values=points),
    )
    return chart


def curve_pictures(results: Sequence[Result]) -> Iterator[tuple[str, bytes]]:
    """Yield the curves of each partition as PNG and SVG, with their file names."""
    for partition, by_attack in grouped(results).items():
        every = [result for by_method in by_attack.values() for result in by_method.values()]
        chart = json.dumps(accuracy_curves(every).to_dict())
        name = f"curves-{partition.partition(':')[0]}"
        yield f"{name}.png", vl_convert.vegalite_to_png(chart, scale=2)
        yield f"{name}.svg", vl_convert.vegalite_to_svg(chart).encode()
