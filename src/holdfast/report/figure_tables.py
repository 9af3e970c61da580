"""The paper's figures in numbers: tables, headings and JSON."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from holdfast.methods import AUTO, Method, Rsa
from holdfast.report.text_table import TextTable
from holdfast.report.worst_cases import is_oracle
from holdfast.runs.spec_parts import data_text, rate_text
from holdfast.studies.paper.claims.claim import Judged
from holdfast.studies.paper.findings import CurveFindings, Findings

ITERATIONS = 5000
"""Iterations of the paper's runtime comparison."""
STEPS = {"inverse-sqrt": "{}/sqrt(k)", "inverse": "{}/k", "constant": "{}"}
"""A step size in words, by schedule."""


def number_table(findings: Findings) -> TextTable:
    """Return a figure's final accuracies, or its times: one row per curve, one column per panel."""
    figure = findings.figure
    first = {"lambda": "lambda", "norms": "norm"}.get(figure.chart, "method")
    if figure.chart == "runtime":
        rows = [
            (found.curve.label, f"{found.milliseconds:.3f}", f"{found.milliseconds * ITERATIONS / 1000:.2f}")
            for found in findings.panels[0].curves
        ]
        fastest = _best(findings.panels[0].curves, lambda found: -found.milliseconds)
        best = frozenset((row, column) for row in fastest for column in (1, 2))
        return TextTable((first, "ms per iteration", f"s for {ITERATIONS}"), rows, best)
    together = zip(*(panel.curves for panel in findings.panels), strict=True)
    return TextTable(
        (first, *(panel.panel.title for panel in findings.panels)),
        tuple((row[0].curve.label, *map(accuracy_text, row)) for row in together),
        frozenset(
            (row, column)
            for column, panel in enumerate(findings.panels, start=1)
            for row in _best(panel.curves, lambda found: round(found.accuracy, 3))
        ),
    )


def _best(curves: Sequence[CurveFindings], goodness: Callable[[CurveFindings], float]) -> list[int]:
    """Return the rows of the best curves; oracles do not compete."""
    reached = {row: goodness(found) for row, found in enumerate(curves) if not is_oracle(found.curve.spec.method_name)}
    return [row for row, value in reached.items() if value == max(reached.values())]


def settings_table(findings: Findings) -> TextTable:
    """Return the parameters of every curve, and whose choice they were."""
    rows = []
    for panel in findings.panels:
        for found in panel.curves:
            spec, searched = found.curve.spec, found.curve.searched
            weight = rsa_options(spec.method).get("penalty", "")
            owner = "rule" if spec.rate == AUTO else "our search" if searched else "the paper"
            step = STEPS[spec.schedule].format(rate_text(spec.rate))
            rows.append((panel.panel.title, found.curve.label, spec.method_name, rate_text(weight), step, owner))
    return TextTable(("panel", "curve", "method", "lambda", "step size", "step size by"), rows)


def rsa_options(method: Method) -> dict[str, Any]:
    """Return norm and penalty of RSA; nothing of other methods."""
    return {"norm": method.norm_label, "penalty": method.penalty} if isinstance(method, Rsa) else {}


def heading(findings: Findings) -> str:
    """Return the title of a figure and the runs behind it, in one line."""
    spec, runs = next(findings.figure.curves()).spec, len(findings.panels[0].curves[0].records)
    quick = "QUICK, not the paper's: " if findings.figure.short else ""
    what = "repeats" if findings.figure.chart == "runtime" else "seeds"
    return f"{findings.figure.title} ({quick}{data_text(spec.data)}, {spec.rounds} rounds, {what}: {runs})"


def accuracy_text(found: CurveFindings) -> str:
    """Return the final accuracy of the seeds: mean, least, most. A seed that diverged counts 0."""
    diverged = sum(record.diverged is not None for record in found.records)
    if diverged == len(found.records):
        return "diverged"
    least, most = min(found.accuracies), max(found.accuracies)
    spread = f" [{least:.3f}, {most:.3f}]" if len(found.records) > 1 else ""
    return f"{found.accuracy:.3f}{spread}" + (f", {diverged} diverged" if diverged else "")


def summary(findings: Sequence[Findings]) -> list[dict[str, Any]]:
    """Return the figures' numbers as JSON."""
    return [
        {
            "figure": each.figure.name,
            "title": each.figure.title,
            "place": each.figure.place,
            "quick": each.figure.short,
            "panels": [
                {"title": panel.panel.title, "curves": [_curve(found) for found in panel.curves]}
                for panel in each.panels
            ],
        }
        for each in findings
    ]


def claims(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """Return the claims and their verdicts as JSON."""
    return [
        {
            "claim": each.claim.name,
            "place": each.claim.place,
            "says": each.claim.says,
            "criterion": each.claim.criterion,
            "verdict": each.verdict.value,
            "measured": each.measured,
            "why": each.why,
        }
        for each in judged
    ]


def _curve(found: CurveFindings) -> dict[str, Any]:
    spec = found.curve.spec
    return {
        "label": found.curve.label,
        "method": spec.method_name,
        **rsa_options(spec.method),
        "rate": spec.rate,
        "searched": found.curve.searched,
        "seeds": [record.spec.seed for record in found.records],
        "accuracies": list(found.accuracies),
        "accuracy": found.accuracy,
        "diverged": [record.diverged for record in found.records],
        "ceiling": found.ceiling,
        "milliseconds": found.milliseconds,
    }
