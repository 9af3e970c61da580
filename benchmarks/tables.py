"""Tables for the terminal and for docs/performance.md."""

from dataclasses import dataclass, field


@dataclass
class Table:
    """Rows under a header, with a title and notes."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        lines = [_line(cells, widths) for cells in (self.header, ["-" * width for width in widths], *self.rows)]
        return "\n".join(["", self.title, "", *lines, *(f"  {note}" for note in self.notes)])

    def markdown(self) -> str:
        rule = ["---", *("---:" for _ in self.header[1:])]
        lines = ["| " + " | ".join(cells) + " |" for cells in (self.header, rule, *self.rows)]
        notes = ["", *(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n".join([f"### {self.title}", "", *lines, *notes, ""])


def _line(cells: list[str], widths: list[int]) -> str:
    first, *others = (
        cell.ljust(width) if k == 0 else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  " + "  ".join([first, *others])


def number(value: float | None, unit: str = "") -> str:
    """Return three digits of a number.

    >>> number(0.01234), number(1234.5, "x"), number(None)
    ('0.0123', '1230x', '-')
    """
    if value is None:
        return "-"
    if value >= 100:
        return f"{float(f'{value:.3g}'):.0f}{unit}"
    return f"{float(f'{value:.3g}'):#.3g}{unit}"


def milliseconds(seconds: float | None) -> str:
    return number(None if seconds is None else 1e3 * seconds)
