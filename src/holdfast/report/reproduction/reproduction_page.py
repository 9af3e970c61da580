"""The report of a reproduction as one HTML file."""

from holdfast.report.rendering import render
from holdfast.report.reproduction.outline import QUICK, Outline
from holdfast.studies.paper.claims.claim import Verdict

MARKS = {Verdict.HOLDS: ("holds", "✓"), Verdict.FAILS: ("fails", "✗"), Verdict.UNTESTABLE: ("open", "?")}
"""How a verdict looks: the class of its mark, and its sign."""


def reproduction_page(report: Outline) -> str:
    """Return the whole page."""
    conclusions = [QUICK] if report.quick else []
    return render(
        "reproduction.html",
        title=report.title,
        headline=report.headline,
        conclusions=conclusions,
        report=report,
        marks=MARKS,
    )
