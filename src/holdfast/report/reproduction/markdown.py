"""The report of a reproduction as Markdown, with pictures beside it."""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.report.reproduction.outline import QUICK, Outline, Section
from holdfast.studies.paper.claims.claim import Judged

PICTURES = "reproduction"
"""The folder of the pictures, beside the text."""
CLAIMS = ("verdict", "the paper says", "place", "measured", "it holds if", "why")


def reproduction_markdown(report: Outline) -> str:
    """Return the whole text."""
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Outline) -> Iterator[str]:
    yield f"# {report.title}"
    if report.quick:
        yield f"**{QUICK}**"
    yield "\n".join(f"- {line}" for line in report.about)
    yield f"```\n{report.command}\n```"
    yield f"## {len(report.judged)} claims: {report.summary}"
    yield "Accuracies are means over the seeds with [least, most]; criteria were fixed before the runs."
    yield _table(CLAIMS, map(_claim, report.judged))
    for section in report.sections:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield f"![{section.title}]({PICTURES}/{section.name}.png)"
    yield f"**The paper says** ({section.place}): {section.says}"
    yield _table(section.numbers.head, section.numbers.rows)
    if section.settings:
        settings = _table(section.settings.head, section.settings.rows)
        yield f"<details><summary>settings</summary>\n\n{settings}\n\n</details>"
    yield f"```\n{section.command}\n```"


def _claim(judged: Judged) -> tuple[str, ...]:
    claim = judged.claim
    return f"**{judged.verdict}**", claim.says, claim.place, judged.measured, claim.criterion, judged.why


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
