"""One HTML file that needs nothing else: tables, curves, and the scripts that draw them."""

import json
from collections.abc import Sequence
from html import escape

import vl_convert

from holdfast.experiments.run import Result
from holdfast.report.charts import accuracy_curves
from holdfast.report.settings import grouped, heading, reachable, setting, traffic
from holdfast.report.tables import cell, share

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ddd; --strong: #c8102e; --soft: #666 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #16181c; --line: #3a3d44; --strong: #ff6b7d; --soft: #a5a8ae } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
p.soft, td.soft, summary { color: var(--soft) }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.rsa { color: var(--strong); font-weight: 700 }
code { font-size: .9em }
@media print { body { margin: 0; max-width: none } .chart { break-inside: avoid } }
"""

LEGEND = (
    "Test accuracy of the master's model. <em>ideal</em> methods are oracles that no attack reaches; <em>at best</em>, "
    "the dotted line, is what the classes that regular workers hold allow; <em>diverged</em> marks a model that is no "
    "longer finite. Point at a line for its values."
)

SCRIPT = """
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const config = dark ? { background: "transparent", axis: { gridColor: "#33363d" }, style: {} } : {};
for (const chart of document.querySelectorAll(".chart")) {
  const spec = JSON.parse(chart.querySelector("script").textContent);
  vegaEmbed(chart, spec, { actions: { export: true, source: false, compiled: false, editor: false }, config,
    renderer: "svg", theme: dark ? "dark" : undefined });
}
"""


def page(title: str, results: Sequence[Result]) -> str:
    """Return the whole page."""
    sections = [
        _section([result for by_method in by_attack.values() for result in by_method.values()])
        for by_attack in grouped(results).values()
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{LEGEND}</p>',
            *sections,
            f'<script type="module">{vl_convert.javascript_bundle(SCRIPT)}</script>',
            "</body></html>",
        ]
    )


def _section(results: Sequence[Result]) -> str:
    chart = json.dumps(accuracy_curves(results).to_dict()).replace("<", "\\u003c")
    return f"""
<h2>{escape(heading(results))}</h2>
<div class="wide">{_table(results)}</div>
<details><summary>settings of each method</summary><ul>{_settings(results)}</ul></details>
<div class="wide"><div class="chart"><script type="application/json">{chart}</script></div></div>"""


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
