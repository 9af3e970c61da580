"""The table of docs/peers.md, from the comparisons themselves."""

from pathlib import Path

from compared import Fault, Shared

DOCS = Path(__file__).parents[2] / "docs" / "peers.md"
BEGIN, END = "<!-- from tests/peers -->\n", "<!-- end -->\n"


def table(shared: list[Shared], faults: list[Fault]) -> str:
    """Return both tables: who has which member and how it differs; what a peer does wrong."""
    members = list(dict.fromkeys(each.member for each in shared))
    order = {member: place for place, member in enumerate(members)}
    lines = ["| member | peer | there | its number is |", "|---|---|---|---|"]
    for each in sorted(shared, key=lambda each: order[each.member]):
        said = f"ours with: {each.differs}" if each.differs else "ours"
        lines.append(f"| `{each.member}` | {each.peer} | `{each.name}` | {said} |")
    lines += ["", "| member | peer | wrong, or left to chance |", "|---|---|---|"]
    for fault in sorted(faults, key=lambda fault: order[fault.member]):
        lines.append(f"| `{fault.member}` | {fault.peer} | {fault.what} |")
    return BEGIN + "\n" + "\n".join(lines) + "\n\n" + END


if __name__ == "__main__":
    from test_peers import FAULTS, SHARED

    page = DOCS.read_text()
    DOCS.write_text(page[: page.index(BEGIN)] + table(SHARED, FAULTS) + page[page.index(END) + len(END) :])
