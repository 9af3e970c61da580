"""Charts as panels: side by side on a page, or in one picture of a fixed width."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from holdfast.report.colours import LIGHT, variable
from holdfast.report.page import Block

Chart = dict[str, Any]
"""A chart as Vega-Lite has it."""
Row = dict[str, Any]
"""A row of the data that a chart shows."""
ROWS = "rows"
"""The name of a panel's data in its chart."""
FONT = "system-ui, Helvetica, Arial, Liberation Sans, sans-serif"
WIDTH, WIDE = 300, 560
"""Of a panel in a picture: beside others, alone."""
STYLE: Chart = {
    "font": FONT,
    "background": "transparent",
    "axis": {
        **{"labelColor": variable("soft"), "titleColor": variable("soft"), "titleFontWeight": "normal"},
        **{"labelFontSize": 11, "titleFontSize": 12, "gridColor": variable("line"), "domainColor": variable("line")},
        **{"tickColor": variable("line"), "titlePadding": 6},
    },
    "title": {
        **{"color": variable("ink"), "subtitleColor": variable("soft"), "fontSize": 13, "subtitleFontSize": 11},
        **{"anchor": "start", "frame": "group", "limit": 280},
    },
    "text": {"color": variable("ink"), "fontSize": 11},
    "view": {"stroke": None},
}


@dataclass(frozen=True)
class Panel:
    """One picture of a chart with the data that it shows."""

    rows: Sequence[Row]
    chart: alt.LayerChart
    """A chart of the data named ROWS, without a width."""


@dataclass(frozen=True)
class Drawing(Block):
    """A chart of one or more panels."""

    name: str
    """Name of its files."""
    panels: tuple[Panel, ...]
    says: str = ""
    """How to read it."""
    columns: int = 3
    """Panels side by side where there is room."""
    title: str = ""
    """Title above the panels of a picture."""
    kind: str = ""
    """A class of the style on a page."""
    cells: int = 0
    """Cells in a row of a heat map; a narrow page scrolls them."""

    def for_page(self) -> Chart:
        """Return the panels, each as wide as its place, with their data."""
        charts = (panel.chart.properties(width="container").to_dict() for panel in self.panels)
        style = {"config": STYLE, "autosize": {"type": "fit-x", "contains": "padding"}}
        return {
            "name": self.name,
            "columns": min(self.columns, len(self.panels)),
            "panels": [
                {"rows": list(panel.rows), "chart": chart | style}
                for panel, chart in zip(self.panels, charts, strict=True)
            ],
        }

    def picture(self) -> Chart:
        """Return all panels as one chart of a fixed width, in the colours of paper."""
        data: Chart = {}
        parts = []
        for number, panel in enumerate(self.panels):
            part = panel.chart.properties(width=WIDTH if self.columns > 1 else WIDE).to_dict(validate=False)
            part.pop("$schema"), part.pop("config", None)
            data |= {f"{ROWS}{number}": list(panel.rows)} | part.pop("datasets", {})
            # quotes in texts are escaped, so that only names of data match
            parts.append(json.loads(json.dumps(part).replace(_data(ROWS), _data(f"{ROWS}{number}"))))
        whole = {
            "$schema": alt.SCHEMA_URL,
            "config": STYLE | {"background": "white"},
            "concat": parts,
            "columns": self.columns,
            "datasets": data,
            "spacing": 24,
            **({"title": self.title} if self.title else {}),
        }
        written: Chart = json.loads(_fill_colours(json.dumps(whole)))
        return written

    def pictures(self, *, pdf: bool) -> Iterator[tuple[str, bytes]]:
        """Yield the chart as PNG, SVG and perhaps PDF, with file names."""
        drawn = json.dumps(self.picture())
        yield f"{self.name}.png", vl_convert.vegalite_to_png(drawn, scale=2)
        yield f"{self.name}.svg", vl_convert.vegalite_to_svg(drawn).encode()
        if pdf:
            yield f"{self.name}.pdf", vl_convert.vegalite_to_pdf(drawn)


def notebook_chart(drawing: Drawing) -> alt.ConcatChart:
    """Return a drawing as altair shows it."""
    made: alt.ConcatChart = alt.ConcatChart.from_dict(drawing.picture())
    return made


def _data(name: str) -> str:
    return f'"data": {json.dumps({"name": name})}'


def _fill_colours(text: str) -> str:
    """Return a chart with colours in place of variables."""
    return re.sub(r"var\(--(\w+)\)", lambda found: LIGHT.get(found[1], found[0]), text)
