"""Charts as files, in the style of a printed page."""

import json
from collections.abc import Iterator
from typing import Any

import vl_convert

Chart = dict[str, Any]
"""A chart as Vega-Lite has it."""
PRINTED = {
    "font": "Helvetica, Arial, Liberation Sans, sans-serif",
    "background": "white",
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "gridColor": "#e8e8e8"},
    "legend": {"labelFontSize": 12, "symbolSize": 150},
    "header": {"labelFontSize": 12},
    "view": {"stroke": "#888"},
}


def pictures(name: str, chart: Chart) -> Iterator[tuple[str, bytes]]:
    """Yield the chart as PNG, SVG and PDF, with their file names."""
    drawn = json.dumps(chart | {"config": chart.get("config", {}) | PRINTED})
    yield f"{name}.png", vl_convert.vegalite_to_png(drawn, scale=2)
    yield f"{name}.svg", vl_convert.vegalite_to_svg(drawn).encode()
    yield f"{name}.pdf", vl_convert.vegalite_to_pdf(drawn)
