"""A table of the user's own: its file, and how to read it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from holdfast.conversion import convert_fields
from holdfast.data.dataset import Dataset, Source
from holdfast.data.tables.delimited import read_delimited
from holdfast.data.tables.sheet import Sheet
from holdfast.data.tables.table_dataset import Missing, build_dataset
from holdfast.data.tables.typed_tables import read_parquet
from holdfast.data.user_files import read_file
from holdfast.errors import InvalidInput
from holdfast.naming import Family, format_option, options_of
from holdfast.typing import Json

TABLE_TYPES = (".csv", ".tsv", ".parquet")
_WITH_OPTIONS = re.compile(
    rf"(.+?(?:{'|'.join(map(re.escape, TABLE_TYPES))})):(\w[\w-]*=.*)", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True)
class Table(Source):
    """Rows of samples, columns of features and a target, in a .csv, .tsv or .parquet file."""

    path: str
    target: str | None = None
    """The name of the column that is learned, or its number from 1; -1 is the last one."""
    test: str | None = None
    """A file with the samples to test on; without it a fifth of the rows is held out."""
    missing: Missing = "refuse"
    """Cells without a value: refuse them, fill them by the mean or the median of the training rows (texts by the most
    common one), or drop their rows."""
    header: bool | None = None
    """Whether the first row names the columns."""
    delimiter: str | None = None
    """What separates cells: a character, or comma, semicolon, tab, bar, space."""
    ignore: tuple[str, ...] = ()
    """Columns to leave out."""
    text: tuple[str, ...] = ()
    """Columns whose numbers are kinds, such as codes."""

    tabular = True

    def __post_init__(self) -> None:
        for name in ("ignore", "text"):
            value = getattr(self, name)
            if isinstance(value, str):  # as on a command line, where a comma separates options
                object.__setattr__(self, name, tuple(value.split("+")))
        convert_fields(self)

    @staticmethod
    def of(given: str | Mapping[str, Any]) -> "Table":
        """Return the table that a text (`FILE:key=value,...`) or a mapping (`name` and options) describes.

        >>> Table.of("wine.csv:target=class,ignore=id+name").ignore
        ('id', 'name')
        """
        if isinstance(given, str):
            path, options = _split_options(given)
            given = {"name": path} | options
        path = str(given["name"])
        return Family("table", {path: partial(Table, path)}, makes=callable).make(dict(given))

    def options(self) -> Json:
        """Return the options that are not their defaults."""
        return {key: value for key, value in options_of(self, full=False).items() if key != "path"}

    def __str__(self) -> str:
        """As it is written on a command line."""
        values = {key: "+".join(v) if isinstance(v, tuple) else format_option(v) for key, v in self.options().items()}
        options = ",".join(f"{key}={value}" for key, value in values.items())
        return f"{self.path}:{options}" if options else self.path

    def table(self) -> Json:
        """As it is written in TOML."""
        listed = {key: list(value) if isinstance(value, tuple) else value for key, value in self.options().items()}
        return {"name": self.path, **listed}

    @property
    def files(self) -> tuple[str, ...]:
        return (self.path,) if self.test is None else (self.path, self.test)

    @property
    def title(self) -> str:
        return Path(self.path).name

    def locate(self) -> "Table":
        return self.relocate(lambda path: str(Path(path).resolve()))

    def relocate(self, place: Callable[[str], str]) -> "Table":
        """Return the table with other paths to its files."""
        return replace(self, path=place(self.path), test=None if self.test is None else place(self.test))

    def sheet(self, path: str | None = None) -> Sheet:
        """Open the file of the table, or another one with the same options."""
        file = Path(path or self.path)
        if file.suffix.lower() == ".parquet":
            return read_file(file, read_parquet)
        tabs = "tab" if file.suffix.lower() == ".tsv" else None
        return read_file(file, lambda file: read_delimited(file, self.header, self.delimiter or tabs))

    def load(self) -> Dataset:
        """Read the table."""
        test = None if self.test is None else self.sheet(self.test)
        return build_dataset(self.sheet(), test, self.target, self.missing, self.ignore, self.text)


def is_table(given: Any) -> bool:
    """Return whether a text names a table, with or without options, or a mapping does."""
    name = given.get("name") if isinstance(given, Mapping) else given
    if not isinstance(name, str):
        return False
    return Path(name).suffix.lower() in TABLE_TYPES or _WITH_OPTIONS.fullmatch(name) is not None


def _split_options(text: str) -> tuple[str, dict[str, str]]:
    """Return the path and the options in a text."""
    found = _WITH_OPTIONS.fullmatch(text)
    if found is None:
        return text, {}
    options: dict[str, str] = {}
    for argument in filter(None, found[2].split(",")):
        key, equals, value = argument.partition("=")
        if not equals:
            raise InvalidInput(f"options of a table are written key=value; got {argument!r}")
        if key in options:
            raise InvalidInput(f"each option of a table is given once; got {key} twice")
        options[key] = value
    return found[1], options
