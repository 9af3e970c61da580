"""Everything that a reproduction leaves in its folder, but for the runs themselves."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from holdfast.files import write_atomic
from holdfast.report.drawing import pictures
from holdfast.report.reproduction.markdown import PICTURES, reproduction_markdown
from holdfast.report.reproduction.outline import Outline, Section, outline
from holdfast.report.reproduction.provenance import provenance
from holdfast.report.reproduction.reproduction_page import reproduction_page
from holdfast.report.reproduction.summaries import claims, summary
from holdfast.studies.paper.claims.claim import Judged, to_toml
from holdfast.studies.paper.findings import Findings


def write_report(
    findings: Sequence[Findings],
    judged: Sequence[Judged],
    theory: Sequence[Section],
    out: Path,
    about: dict[str, Any],
    options: Sequence[str],
) -> tuple[Outline, str]:
    """Write page, text, pictures, verdicts and results; return what they say, and the results as JSON.

    `about` opens the results; `options` are the flags to repeat them with.
    """
    report = outline(findings, judged, theory, options, provenance())
    results = json.dumps(about | {"figures": summary(findings), "claims": claims(report.judged)}, allow_nan=False)
    write_atomic(out / "results.json", results.encode())
    write_atomic(out / "verdicts.toml", to_toml(report.judged).encode())
    for section in report.sections:
        for name, picture in pictures(section.name, section.chart.picture()):
            write_atomic(out / PICTURES / name, picture)
    write_atomic(out / "reproduction.md", reproduction_markdown(report).encode())
    write_atomic(out / "report.html", reproduction_page(report).encode())
    return report, results
