"""The page of a comparison: who held in the worst case, then tables and curves."""

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.report.colours import Stroke, strokes
from holdfast.report.comparison_charts import curves, worst_chart
from holdfast.report.holdings_chart import holdings_chart
from holdfast.report.rendering import render
from holdfast.report.settings import grouped, heading, labels, reachable, setting, traffic
from holdfast.report.tables import accuracy_rows, best_places
from holdfast.report.worst import ByAttack, conclusions, headline, is_oracle
from holdfast.runs.records import Record
from holdfast.runs.verdicts import score_of


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
    rows, best = accuracy_rows(by_attack, methods), best_places(by_attack, methods)
    limited = any(reachable(by_method) is not None for by_method in by_attack.values())
    if not limited:  # no column of nothing
        rows, best = [(attack, *values) for attack, _, *values in rows], {(row, at - 1) for row, at in best}
    return {
        "heading": heading([result for _, result in labelled]),
        "head": ["attack", *(["best possible"] if limited else []), *methods],
        "columns": [
            *([None, "oracle"] if limited else [None]),
            *("oracle" if is_oracle(method) else None for method in methods),
        ],
        "rows": rows,
        "best": best,
        "settings": _settings(by_attack, methods),
        "worst": worst_chart(partition, by_attack, look),
        "curves": curves(partition, by_attack, look),
    }


def _settings(by_attack: ByAttack, methods: Sequence[str]) -> list[tuple[str, ...]]:
    """Return how each method was set up under which attacks, and what it sent: those that are the same in one row."""
    found: dict[tuple[str, ...], list[str]] = {}
    for method in methods:
        for attack, by_method in by_attack.items():
            if (result := by_method.get(method)) is not None:
                found.setdefault((method, setting(result.spec), traffic(result)), []).append(attack)
    return [(method, ", ".join(attacks), flags, sent) for (method, flags, sent), attacks in found.items()]
