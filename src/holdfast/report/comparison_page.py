"""The page of a comparison: tables and curves."""

from collections.abc import Mapping, Sequence
from html import escape

from holdfast.experiments.result import Result
from holdfast.report.colours import Stroke, strokes
from holdfast.report.comparison_charts import accuracy_curves
from holdfast.report.frame import document, drawing
from holdfast.report.settings import grouped, heading, reachable, setting, traffic
from holdfast.report.tables import cell, share

LEGEND = (
    "Test accuracy of the master's model. <em>ideal</em> methods are oracles that no attack reaches; <em>at best</em>, "
    "the dotted line, is what the classes that regular workers hold allow; <em>diverged</em> marks a model that is no "
    "longer finite. Point at a line for its values."
)


def comparison_page(title: str, results: Sequence[Result]) -> str:
    """Return the whole page."""
    look = strokes(result.spec.method for result in results)
    sections = [
        _section([result for by_method in by_attack.values() for result in by_method.values()], look)
        for by_attack in grouped(results).values()
    ]
    return document(title, [f'<p class="soft">{LEGEND}</p>', *sections])


def _section(results: Sequence[Result], look: Mapping[str, Stroke]) -> str:
    return f"""
<h2>{escape(heading(results))}</h2>
<div class="wide">{_table(results)}</div>
<details><summary>settings of each method</summary><ul>{_settings(results)}</ul></details>
{drawing(accuracy_curves(results, look).to_dict())}"""


def _table(results: Sequence[Result]) -> str:
    methods = list(dict.fromkeys(result.spec.method for result in results))
    (by_attack,) = grouped(results).values()
    head = "".join(f'<th class="{method}">{escape(method)}</th>' for method in methods)
    rows = "".join(
        f'<tr><td>{escape(attack)}</td><td class="soft">{share(reachable(by_method))}</td>'
        + "".join(f'<td class="{method}">{cell(by_method.get(method))}</td>' for method in methods)
        + "</tr>"
        for attack, by_method in by_attack.items()
    )
    return f"<table><thead><tr><th>attack</th><th>at best</th>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _settings(results: Sequence[Result]) -> str:
    lines = dict.fromkeys(
        f"{result.spec.method}: <code>{escape(setting(result.spec))}</code>; {traffic(result)} a worker and round"
        for result in results
    )
    return "".join(f"<li>{line}</li>" for line in lines)
