"""Tables of texts, which a terminal, a page, a notebook and Markdown show."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from rich import box
from rich.table import Table
from rich.text import Text

from holdfast.report.page import Block


@dataclass(frozen=True)
class TextTable(Block):
    """A head and rows of texts, mostly numbers except in the first column."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    best: Collection[tuple[int, int]] = ()
    """Row and column of the best values."""
    columns: Sequence[str | None] = ()
    """Kinds of columns: `oracle` (not a competitor), `code` (command lines), `words`, `number`."""
    kind: str = ""
    """Kind of the table on a page: `text` (sentences) or `wraps` (cells may wrap between words)."""
    bad: Collection[tuple[int, int]] = ()
    """Row and column of values that are no better than guessing."""

    def terminal(self, title: str | None = None, break_after: str = "") -> Table:
        """Return the table for a terminal; its head may break after one character."""
        table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        for at, (name, kind) in enumerate(zip_longest(self.head, self.columns)):
            justify: Literal["left", "right"] = "right" if kind == "number" or (at and kind != "words") else "left"
            lines = re.sub(f"{break_after} ?", f"{break_after}\n", name) if break_after else name
            table.add_column(lines, justify=justify, style="dim" if kind == "oracle" else "")
        for number, row in enumerate(self.rows):
            table.add_row(*(Text(cell, self._style((number, at))) for at, cell in enumerate(row)))
        return table

    def _style(self, place: tuple[int, int]) -> str:
        return "red" if place in self.bad else "bold" if place in self.best else ""

    def markdown(self) -> str:
        """Return the table as Markdown, the best values bold.

        >>> print(TextTable(("method", "kept"), [("rsa", "51%")], [(0, 1)]).markdown())
        | method | kept |
        | --- | --- |
        | rsa | **51%** |
        """
        rows = [
            [f"**{cell}**" if (number, at) in self.best else cell.replace("|", "\\|") for at, cell in enumerate(row)]
            for number, row in enumerate(self.rows)
        ]
        return "\n".join(f"| {' | '.join(line)} |" for line in (self.head, ["---"] * len(self.head), *rows))

    def select(self, columns: Sequence[int]) -> "TextTable":
        """Return some of the columns as a table."""
        return TextTable(
            [self.head[at] for at in columns],
            [tuple(row[at] for at in columns) for row in self.rows],
            [(row, columns.index(at)) for row, at in self.best if at in columns],
            [self.columns[at] for at in columns] if self.columns else (),
            self.kind,
            [(row, columns.index(at)) for row, at in self.bad if at in columns],
        )


def share_text(accuracy: float | None) -> str:
    """Return an accuracy in three decimals, or a dash."""
    return "-" if accuracy is None else f"{accuracy:.3f}"
