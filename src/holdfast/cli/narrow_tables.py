"""Tables on a narrow terminal.

Cells wrap between words. Where a word would have to be cut, each row becomes a block of lines. A table whose rows
are to be compared is split instead: the remaining columns follow below.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import ceil

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

SENTENCE = 32
"""The least width of a column of sentences."""


def fit(table: Table, console: Console) -> RenderableType:
    """Return the table if every word fits, else a block of lines per row.

    Rich shortens the widest column first, whether the column holds sentences or names, so the widths are set here.
    Rich wraps a title at the table's width, so no table is narrower than a word of its title.
    """
    table.min_width = min(max(map(cell_len, str(table.title or "").split()), default=0), console.width)
    room = console.width - _measure_width(table, console)
    if room >= 0:
        return table
    widest = [_measure_longest(column, str.splitlines) for column in table.columns]
    widths = [_measure_longest(column, str.split) for column in table.columns]
    room += sum(widest) - sum(widths)
    while room > 0:
        for at in range(len(widths)):
            more = widths[at] < widest[at] and room > 0
            widths[at], room = widths[at] + more, room - more
    if room < 0 or any(most >= SENTENCE > width for most, width in zip(widest, widths, strict=True)):
        return _turn(table, console.width)
    for column, width in zip(table.columns, widths, strict=True):
        column.width, column.no_wrap = width, False
    return table


def split(table: Table, console: Console) -> list[Table]:
    """Return the table, or the fewest tables that fit, each with the first column and a share of the others.

    Headings break after commas. If two columns are already too wide, each table has one column for `fit` to turn.
    """
    first, *others = table.columns
    if len(others) < 2 or _measure_width(table, console) <= console.width:
        return [table]
    for number in range(2, len(others) + 1):
        size = ceil(len(others) / number)
        parts = [[first, *others[at : at + size]] for at in range(0, len(others), size)]
        tables = [_take(table, part) for part in parts]
        if size == 1 or all(_measure_width(part, console) <= console.width for part in tables):
            break
    tables[0].title = table.title
    return tables


def _measure_width(table: Table, console: Console) -> int:
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum


def _take(table: Table, columns: Sequence[Column]) -> Table:
    """Return a table of some of the columns."""
    part = Table(box=table.box, title_justify=table.title_justify, title_style=table.title_style)
    for column in columns:
        part.add_column(str(column.header).replace(", ", ",\n"), justify=column.justify, style=column.style)
    for row in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*row)
    return part


def _measure_longest(column: Column, split: Callable[[str], list[str]]) -> int:
    """Return the length of a column's longest line or word."""
    return max((cell_len(piece) for cell in (column.header, *column.cells) for piece in split(str(cell))), default=0)


def _turn(table: Table, width: int) -> RenderableType:
    heads = [str(column.header).replace("-\n", "-").replace("\n", " ") for column in table.columns]
    indent = max(map(len, heads[1:]), default=0)
    lines: list[RenderableType] = [Text(str(table.title), "bold", overflow="fold")] if table.title else []
    for first, *rest in zip_longest(*(map(str, column.cells) for column in table.columns), fillvalue=""):
        lines.append(Text(f"{heads[0]} {first}".strip(), "bold", overflow="fold"))
        for head, value in zip(heads[1:], rest, strict=True):
            line = f"  {head:<{indent}}  {value}"
            if not head or cell_len(line) > width:
                lines += [Text(f"  {head}")] if head else []
                lines.append(Padding(Text(value, overflow="fold"), (0, 0, 0, 4)))
            elif value:
                lines.append(Text(line))
    return Group(*lines)
