"""The page of a comparison: tables and curves."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.experiments.result import Result
from holdfast.report.colours import Stroke, strokes
from holdfast.report.comparison_charts import accuracy_curves
from holdfast.report.rendering import render
from holdfast.report.settings import grouped, heading, setting, traffic
from holdfast.report.tables import accuracy_rows


def comparison_page(title: str, results: Sequence[Result]) -> str:
    """Return the whole page."""
    look = strokes(result.spec.method for result in results)
    sections = [_section(by_attack, look) for by_attack in grouped(results).values()]
    return render("comparison.html", title=title, sections=sections)


def _section(by_attack: Mapping[str, Mapping[str, Result]], look: Mapping[str, Stroke]) -> dict[str, Any]:
    results = [result for by_method in by_attack.values() for result in by_method.values()]
    methods = list(dict.fromkeys(result.spec.method for result in results))
    return {
        "heading": heading(results),
        "head": ["attack", "at best", *methods],
        "columns": [None, "soft", *methods],
        "rows": accuracy_rows(by_attack, methods),
        "settings": dict.fromkeys((result.spec.method, setting(result.spec), traffic(result)) for result in results),
        "chart": accuracy_curves(results, look).to_dict(),
    }
