"""Tables as text: which character separates the cells, whether the first row has the names, and the rows themselves."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import isnan
from pathlib import Path
from typing import NamedTuple

from holdfast.data.tables.sheet import Block, Cells, Sheet, parse_number, quote
from holdfast.data.user_files import require_bounded
from holdfast.errors import InvalidInput

DELIMITERS = {"semicolon": ";", "tab": "\t", "comma": ",", "bar": "|", "space": " "}
"""By name, for a command line; in the order in which they are tried: where `;` fits, a comma is in a number."""
SAMPLE = 200
"""Rows to guess from."""
BLOCK = 4096
"""Rows that are in memory as text at a time."""
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


class Row(NamedTuple):
    """One row of a file."""

    number: int
    """The line it begins on, from 1."""
    cells: list[str]


def read_delimited(path: Path, header: bool | None = None, delimiter: str | None = None) -> Sheet:
    """Return the table in a file of text; options that are not given are guessed from its first rows."""
    require_bounded(path, path.stat().st_size)
    encoding = _detect_encoding(path)
    separator = _guess_separator(path, encoding) if delimiter is None else _resolve_separator(delimiter)
    first = islice(_read_rows(path, encoding, separator), SAMPLE)
    sample = [Row(row.number, _clean(row.cells, separator)) for row in first]
    if not sample:
        raise InvalidInput(f"{path} must hold at least 2 rows of data; got none")
    names = _has_names(sample) if header is None else header
    width = len(sample[0].cells)
    titles = _read_names(path, sample[0].cells) if names else tuple(f"column {n}" for n in range(1, width + 1))

    def blocks() -> Iterator[Block]:
        rows = islice(_read_rows(path, encoding, separator), int(names), None)
        while block := list(islice(rows, BLOCK)):
            for row in block:
                if len(row.cells) != width:
                    raise _refuse_width(path, row, width, separator)
            columns = zip(*(row.cells for row in block), strict=True)
            yield Block([row.number for row in block], [Cells.read(_clean(cells, separator)) for cells in columns])

    notes = [] if delimiter is not None or separator == "," else [f"cells separated by {_name_separator(separator)}"]
    if header is None:
        notes.append(f"names of the columns in row {sample[0].number}" if names else "no names of columns")
    index = names and not sample[0].cells[0] and width > 2
    return Sheet(str(path), titles, blocks, names, tuple(notes), index)


def _detect_encoding(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(2**16)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in head:
        raise InvalidInput(f"{path} must be a table of text; got bytes that are no text")
    return "utf-8-sig"


def _read_rows(path: Path, encoding: str, separator: str) -> Iterator[Row]:
    """Yield the rows of a file that are not blank."""
    end = 0
    try:
        with path.open(encoding=encoding, newline="") as file:
            reader = csv.reader(file, delimiter=separator, skipinitialspace=True)
            for cells in reader:
                first, end = end + 1, reader.line_num
                if len(cells) > 1 or (cells and cells[0].strip()):
                    yield Row(first, cells)
    except UnicodeDecodeError:
        row = _find_undecodable(path)
        raise InvalidInput(f"{path} must be text in UTF-8; got other bytes in row {row}") from None
    except csv.Error as error:
        raise InvalidInput(f"{path} must be a table of text; got a {error} below row {end}") from None


def _clean(cells: Iterable[str], separator: str) -> list[str]:
    """Return cells without spaces around them, and with decimal points."""
    texts = [cell.strip() for cell in cells]
    if separator == ",":
        return texts
    return [text.replace(",", ".") if "," in text and DECIMAL_COMMA.fullmatch(text) else text for text in texts]


def _find_undecodable(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1


def _guess_separator(path: Path, encoding: str) -> str:
    """Return the first delimiter that cuts all of the first rows alike, else the one that cuts most of them alike."""
    alike: dict[str, int] = {}
    for separator in DELIMITERS.values():
        widths = Counter(len(row.cells) for row in islice(_read_rows(path, encoding, separator), SAMPLE))
        widths.pop(1, None)
        alike[separator] = max(widths.values(), default=0)
    best = max(alike.values())
    return next(separator for separator, rows in alike.items() if rows == best) if best else ","


def _resolve_separator(delimiter: str) -> str:
    separator = DELIMITERS.get(delimiter, delimiter)
    if len(separator) != 1 or separator in '"\r\n':
        raise InvalidInput(f"delimiter must be {', '.join(DELIMITERS)} or one character; got {delimiter!r}")
    return separator


def _name_separator(separator: str) -> str:
    return next((name for name, character in DELIMITERS.items() if character == separator), repr(separator)) + "s"


def _has_names(sample: Sequence[Row]) -> bool:
    """Return whether the first row names the columns: it has no number, and something tells it from the others."""
    first, others = sample[0].cells, [row.cells for row in sample[1:]]
    if _has_number(first):
        return False
    columns = list(zip(*(row for row in others if len(row) == len(first)), strict=True))
    if not columns:
        return True
    return any(map(_has_number, columns)) or not any(
        name in column for name, column in zip(first, columns, strict=True) if name
    )


def _has_number(cells: Iterable[str]) -> bool:
    return not all(isnan(parse_number(cell)) for cell in cells)


def _read_names(path: Path, cells: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a row; a column without one is called by its number."""
    cells = [cells[0].lstrip("# "), *cells[1:]]
    names = tuple(name or f"column {n}" for n, name in enumerate(cells, start=1))
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        at = [str(n) for n, name in enumerate(names, start=1) if name == twice]
        raise InvalidInput(f"{path} must have columns of different names; got {twice!r} in columns {' and '.join(at)}")
    return names


def _refuse_width(path: Path, row: Row, width: int, separator: str) -> InvalidInput:
    shown = quote(separator.join(_clean(row.cells, separator)))
    return InvalidInput(
        f"{path} must have {width} cells in every row, as in its first; got {len(row.cells)} in row {row.number}: "
        f"{shown} (cut at {_name_separator(separator)}; FILE:delimiter=NAME says another: {', '.join(DELIMITERS)})"
    )
