"""Pages of one grammar: headline, verdict, picture, table, details; one template renders their blocks.

Text in a block is escaped, except `Markup`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.table import Table

from holdfast.files import write_atomic
from holdfast.report.colours import DARK, LIGHT
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.table import format_csv, list_evaluations

TABLE = "table.csv"
"""The file of a study's table: one row per run and evaluation."""


@cache
def bundle(script: str) -> Markup:
    """Return a script together with the libraries that it needs."""
    return Markup(vl_convert.javascript_bundle(script))  # our own file and Vega's code: escaped, it would not run


def keep_together(cell: object) -> str:
    """Return a cell as text that does not wrap between a number and its error, or a name and its value."""
    return re.sub(" (?=[±=])|(?<=[±=]) ", "\N{NO-BREAK SPACE}", str(cell))


def allow_breaks(head: object) -> str:
    """Return a head as text that may also wrap between the options of a part."""
    return re.sub(r",(?=[^\W\d])", ",\N{ZERO WIDTH SPACE}", keep_together(head))


ENVIRONMENT = Environment(
    loader=PackageLoader("holdfast.report"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters |= {"bundle": bundle, "keep_together": keep_together, "allow_breaks": allow_breaks}
ENVIRONMENT.globals["colours"] = {"light": LIGHT, "dark": DARK}


class Block:
    """A part of a page. The macro of `blocks.html` that is named after its class renders it."""

    def __html__(self) -> str:
        macros = vars(ENVIRONMENT.get_template("blocks.html").module)
        return str(macros[type(self).__name__](self))


@dataclass(frozen=True)
class Heading(Block):
    """The title of what follows."""

    text: str
    level: int = 2
    anchor: str = ""


@dataclass(frozen=True)
class Paragraph(Block):
    """One or more sentences."""

    text: str
    kind: str = ""
    """A class of the style: soft, small, notice, says."""


@dataclass(frozen=True)
class Items(Block):
    """A list of sentences."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Command(Block):
    """A command line."""

    text: str


@dataclass(frozen=True)
class Facts(Block):
    """Sentences with a name each."""

    sentences: Mapping[str, str]

    def terminal(self, title: str) -> Table:
        """Return the facts for a terminal."""
        table = Table(title=title, box=None, title_justify="left", title_style="bold", show_header=False)
        table.add_column(no_wrap=True)
        table.add_column()
        for name, sentence in self.sentences.items():
            table.add_row(name, sentence)
        return table


@dataclass(frozen=True)
class Details(Block):
    """Blocks that are folded below a summary."""

    summary: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Group(Block):
    """Blocks that the style places together."""

    kind: str
    blocks: Sequence[Block]
    anchor: str = ""


@dataclass(frozen=True)
class Link(Block):
    """A link to another place on the page."""

    text: str
    address: str
    kind: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Page:
    """A page that needs nothing but itself."""

    title: str
    """What it is about."""
    headline: str
    """What happened."""
    conclusions: Sequence[str] = ()
    blocks: Sequence[Block] = ()

    def html(self) -> str:
        """Return the page as one HTML file."""
        return ENVIRONMENT.get_template("page.html").render(page=self)


def alarm(text: str) -> Markup:
    """Return a sentence in the colour of failures."""
    return Markup('<span class="fails">{}</span>').format(text)


def write_report(
    folder: Path,
    page: Page,
    results: str,
    pictures: Iterable[tuple[str, bytes]] = (),
    names: tuple[str, str] = ("report.html", "results.json"),
    runs: Iterable[tuple[Spec, Record]] = (),
) -> None:
    """Write the results as JSON, the page, and pictures with their file names; `names` are those of the first two.

    The runs of a study, each with the spec that was asked, are written as its table.
    """
    write_atomic(folder / names[1], results.encode())
    if rows := list_evaluations(runs):
        write_atomic(folder / TABLE, format_csv(rows).encode())
    write_atomic(folder / names[0], page.html().encode())
    for name, picture in pictures:
        write_atomic(folder / name, picture)
