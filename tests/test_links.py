"""Links between our pages lead to a file that is there, and to a heading that it has."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")])
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings: small letters, digits, hyphens for spaces, nothing else."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for file, anchor in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        target = page.parent / file if file else page
        assert target.exists(), f"{file} is not there"
        assert not anchor or anchor in anchors(target), f"{target.name} has no heading #{anchor}"


def test_anchors_are_those_of_headings(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# ByzFL's heat map\n\n```\n# no heading\n```\n\n## The wire, `bits`: at-once\n")
    assert anchors(page) == {"byzfls-heat-map", "the-wire-bits-at-once"}
