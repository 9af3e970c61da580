"""Tables on a narrow terminal: cells wrap between words; where a word would have to be cut, rows become blocks.

A table whose rows are to be compared is rather split: its columns go on below.
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
"""Characters that a column of sentences needs to be read."""


def fitted(table: Table, console: Console) -> RenderableType:
    """Return the table if it fits with every word whole, else turned: one block of lines for each row.

    Rich shortens the widest column first, whether it holds sentences or names, so the widths are set here. It wraps a
    title at the table's width: no table is narrower than a word of its title.
    """
    table.min_width = min(max(map(cell_len, str(table.title or "").split()), default=0), console.width)
    room = console.width - _width(table, console)
    if room >= 0:
        return table
    widest = [_most(column, str.splitlines) for column in table.columns]
    widths = [_most(column, str.split) for column in table.columns]
    room += sum(widest) - sum(widths)
    while room > 0:
        for at in range(len(widths)):
            more = widths[at] < widest[at] and room > 0
            widths[at], room = widths[at] + more, room - more
    if room < 0 or any(most >= SENTENCE > width for most, width in zip(widest, widths, strict=True)):
        return _turned(table, console.width)
    for column, width in zip(table.columns, widths, strict=True):
        column.width, column.no_wrap = width, False
    return table


def pieces(table: Table, console: Console) -> list[Table]:
    """Return the table, or if it is too wide as few as fit, each with the first column and its share of the others.

    Their heads break after commas. Where even two columns are too wide, they have one each: for `fitted` to turn.
    """
    first, *others = table.columns
    if len(others) < 2 or _width(table, console) <= console.width:
        return [table]
    for number in range(2, len(others) + 1):
        size = ceil(len(others) / number)
        parts = [[first, *others[at : at + size]] for at in range(0, len(others), size)]
        found = [_part(table, part) for part in parts]
        if size == 1 or all(_width(part, console) <= console.width for part in found):
            break
    found[0].title = table.title
    return found


def _width(table: Table, console: Console) -> int:
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum


def _part(table: Table, columns: Sequence[Column]) -> Table:
    part = Table(box=table.box, title_justify=table.title_justify, title_style=table.title_style)
    for column in columns:
        part.add_column(str(column.header).replace(", ", ",\n"), justify=column.justify, style=column.style)
    for row in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*row)
    return part


def _most(column: Column, pieces: Callable[[str], list[str]]) -> int:
    """Return the length of a column's longest line or word."""
    return max((cell_len(piece) for cell in (column.header, *column.cells) for piece in pieces(str(cell))), default=0)


def _turned(table: Table, width: int) -> RenderableType:
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
