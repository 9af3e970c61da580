"""One HTML file that needs nothing else: text, charts, and the scripts that draw them."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import vl_convert

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #ddd; --strong: #c8102e; --soft: #666;
  --good: #1a7f37 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #16181c; --line: #3a3d44; --strong: #ff6b7d; --soft: #a5a8ae;
  --good: #57c46f } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
p.soft, td.soft, summary { color: var(--soft) }
.wide { overflow-x: auto } .row { display: flex; flex-wrap: wrap; gap: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.rsa { color: var(--strong); font-weight: 700 }
code { font-size: .9em }
td.text, th.text { text-align: left; white-space: normal; min-width: 9rem; vertical-align: top }
.holds { color: var(--good); font-weight: 700 } .does-not-hold { color: var(--strong); font-weight: 700 }
.not-testable { color: var(--soft) } .notice { border-left: .3rem solid var(--strong); padding-left: .8rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem .8rem; border: 1px solid var(--line) }
@media (max-width: 50rem) {
  th, td { padding: .25rem .35rem } th { white-space: normal } table:not(.text) { font-size: .85rem }
  table.text thead { display: none } table.text td { display: block; border: 0; padding: .1rem .3rem }
  table.text tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0 } }
@media print { body { margin: 0; max-width: none } .chart, tr { break-inside: avoid } .wide { overflow: visible } }
"""

SCRIPT = """
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const config = dark ? { background: "transparent", axis: { gridColor: "#33363d" }, style: {} } : {};
for (const chart of document.querySelectorAll(".chart")) {
  const spec = JSON.parse(chart.querySelector("script").textContent);
  vegaEmbed(chart, spec, { actions: { export: true, source: false, compiled: false, editor: false }, config,
    renderer: "svg", theme: dark ? "dark" : undefined });
}
"""


def document(title: str, parts: Iterable[str]) -> str:
    """Return a whole page with these parts below its title."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{escape(title)}</h1>",
            *parts,
            f'<script type="module">{vl_convert.javascript_bundle(SCRIPT)}</script>',
            "</body></html>",
        ]
    )


def drawing(chart: Mapping[str, Any]) -> str:
    """Return the place where a Vega-Lite chart is drawn."""
    written = json.dumps(chart).replace("<", "\\u003c")
    return f'<div class="wide"><div class="chart"><script type="application/json">{written}</script></div></div>'


def table(head: Iterable[str], rows: Iterable[Iterable[str]], text: bool = False) -> str:
    """Return a table of cells that are HTML already; with `text`, of sentences that may wrap."""
    kind = ' class="text"' if text else ""
    first = "".join(f"<th{kind}>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table{kind}><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table></div>'
