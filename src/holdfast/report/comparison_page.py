"""The page of a comparison: who held in the worst case, then tables and curves."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.experiments.records import Record
from holdfast.experiments.scores import score_of
from holdfast.report.colours import Stroke, strokes
from holdfast.report.comparison_charts import curves, worst_chart
from holdfast.report.holdings_chart import holdings_chart
from holdfast.report.rendering import render
from holdfast.report.settings import grouped, heading, labels, setting, traffic
from holdfast.report.tables import accuracy_rows, best_places
from holdfast.report.worst import ByAttack, conclusions, headline, is_oracle


def comparison_page(title: str, results: Sequence[Record]) -> str:
    """Return the whole page."""
    look, groups = strokes(labels(results)), grouped(results)
    return render(
        "comparison.html",
        title=title,
        headline=headline(groups),
        conclusions=conclusions(groups),
        score=score_of(results),
        held=holdings_chart(result.spec for result in results),
        sections=[_section(partition, by_attack, look) for partition, by_attack in groups.items()],
    )


def _section(partition: str, by_attack: ByAttack, look: Mapping[str, Stroke]) -> dict[str, Any]:
    labelled = [(method, result) for by_method in by_attack.values() for method, result in by_method.items()]
    methods = list(dict.fromkeys(method for method, _ in labelled))
    rows = accuracy_rows(by_attack, methods)
    return {
        "heading": heading([result for _, result in labelled]),
        "head": ["attack", "best possible", *methods],
        "columns": [None, "oracle", *("oracle" if is_oracle(method) else None for method in methods)],
        "rows": rows,
        "best": best_places(by_attack, methods),
        "settings": dict.fromkeys((method, setting(result.spec), traffic(result)) for method, result in labelled),
        "worst": worst_chart(partition, by_attack, look),
        "curves": curves(partition, by_attack, look),
    }
