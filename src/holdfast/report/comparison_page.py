"""The page of a comparison: tables and curves."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.experiments.records import Record
from holdfast.report.colours import Stroke, strokes
from holdfast.report.comparison_charts import accuracy_curves
from holdfast.report.rendering import render
from holdfast.report.settings import grouped, heading, labels, setting, traffic
from holdfast.report.tables import accuracy_rows


def comparison_page(title: str, results: Sequence[Record]) -> str:
    """Return the whole page."""
    look = strokes(labels(results))
    sections = [_section(by_attack, look) for by_attack in grouped(results).values()]
    return render("comparison.html", title=title, sections=sections)


def _section(by_attack: Mapping[str, Mapping[str, Record]], look: Mapping[str, Stroke]) -> dict[str, Any]:
    labelled = [(method, result) for by_method in by_attack.values() for method, result in by_method.items()]
    methods = list(dict.fromkeys(method for method, _ in labelled))
    return {
        "heading": heading([result for _, result in labelled]),
        "head": ["attack", "at best", *methods],
        "columns": [None, "soft", *methods],
        "rows": accuracy_rows(by_attack, methods),
        "settings": dict.fromkeys((method, setting(result.spec), traffic(result)) for method, result in labelled),
        "chart": accuracy_curves(by_attack, look).to_dict(),
    }
