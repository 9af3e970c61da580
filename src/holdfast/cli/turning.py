"""Tables on a narrow terminal: columns wrap between words; where a word would have to be cut, rows become blocks."""

from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text


def fitted(table: Table, console: Console) -> Table:
    """Return the table itself if every word of it fits, else the same turned: one block of lines for each row."""
    for column in table.columns:
        column.overflow, column.no_wrap = "fold", False
        column.min_width = max((_longest(cell) for cell in (column.header, *column.cells)), default=0)
    least = sum(column.min_width or 0 for column in table.columns)
    if least + table._extra_width + 2 * len(table.columns) <= console.width:
        return table
    return _turned(table)


def _longest(cell: object) -> int:
    return max((cell_len(word) for word in str(cell).split()), default=0)


def _turned(table: Table) -> Table:
    turned = Table.grid(padding=(0, 2))
    turned.title, turned.title_justify, turned.title_style = table.title, "left", table.title_style
    heads = [" ".join(str(column.header).split("\n")).replace("- ", "-") for column in table.columns]
    for row in zip_longest(*(column.cells for column in table.columns), fillvalue=""):
        first, *rest = map(str, row)
        turned.add_row(Text(first, style="bold"), "")
        for head, value in zip(heads[1:], rest, strict=True):
            if value:
                turned.add_row(f"  {head}", value)
    return turned
