"""Charts as panels: side by side on a page, as wide as it is; or in one picture of a fixed width."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from holdfast.report.colours import LIGHT, variable

Chart = dict[str, Any]
"""A chart as Vega-Lite has it."""
Row = Mapping[str, object]
ROWS = "rows"
"""What charts call the data of their panel."""
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
    """Of the data called ROWS; its width is left open."""


@dataclass(frozen=True)
class Drawing:
    """A chart of one or more panels."""

    name: str
    """Of its files."""
    panels: tuple[Panel, ...]
    says: str = ""
    """How to read it."""
    columns: int = 3
    """Panels side by side where there is room."""
    title: str = ""
    """What stands above the panels of a picture."""

    def for_page(self) -> Chart:
        """Return the panels, each as wide as its place, with their data, which the page offers for download."""
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
        data: dict[str, Any] = {}
        parts = []
        for number, panel in enumerate(self.panels):
            part = panel.chart.properties(width=WIDTH if self.columns > 1 else WIDE).to_dict(validate=False)
            part.pop("$schema"), part.pop("config", None)
            data |= {f"{ROWS}{number}": list(panel.rows)} | part.pop("datasets", {})
            parts.append(_renamed(part, f"{ROWS}{number}"))
        whole = {
            "$schema": alt.SCHEMA_URL,
            "config": STYLE | {"background": "white"},
            "concat": parts,
            "columns": self.columns,
            "datasets": data,
            "spacing": 24,
            **({"title": self.title} if self.title else {}),
        }
        written: Chart = json.loads(_on_paper(json.dumps(whole)))
        return written


def notebook_chart(drawing: Drawing) -> alt.ConcatChart:
    """Return a drawing as altair shows it."""
    made: alt.ConcatChart = alt.ConcatChart.from_dict(drawing.picture())
    return made


def pictures(name: str, chart: Chart, *, pdf: bool = True) -> Iterator[tuple[str, bytes]]:
    """Yield the chart as PNG, SVG and PDF, with their file names."""
    drawn = json.dumps(chart)
    yield f"{name}.png", vl_convert.vegalite_to_png(drawn, scale=2)
    yield f"{name}.svg", vl_convert.vegalite_to_svg(drawn).encode()
    if pdf:
        yield f"{name}.pdf", vl_convert.vegalite_to_pdf(drawn)


def _renamed(part: Any, rows: str) -> Any:
    """Return a part of a picture whose data are called by a name of their own."""
    if isinstance(part, list):
        return [_renamed(each, rows) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {"name": rows} if key == "data" and value == {"name": ROWS} else _renamed(value, rows)
        for key, value in part.items()
    }


def _on_paper(text: str) -> str:
    """Return a chart whose variables are colours."""
    return re.sub(r"var\(--(\w+)\)", lambda found: LIGHT.get(found[1], found[0]), text)
