"""The report of a reproduction as one HTML file."""

from holdfast.report.rendering import render
from holdfast.report.reproduction.outline import QUICK, TITLE, Outline


def reproduction_page(report: Outline) -> str:
    """Return the whole page."""
    return render("reproduction.html", title=TITLE, quick=QUICK, report=report)
