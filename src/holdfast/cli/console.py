"""Where the command writes: text as it is, however odd a name may be, but nothing that a terminal obeys."""

import logging
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from holdfast.cli.turning import fitted, pieces

WIDE = 120


def printable(text: str) -> str:
    r"""Return a text with all that a terminal would obey, or could not show, as escapes; lines stay lines.

    >>> print(printable("red \x1b[31m\nback\x08"))
    red \x1b[31m
    back\x08
    """
    return "".join(each if each.isprintable() or each == "\n" else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


class _Told(logging.Handler):
    """What the library logs, as a speaker tells it: steps, how far they are, and warnings."""

    def __init__(self, speaker: "Speaker") -> None:
        super().__init__(logging.DEBUG if speaker.live else logging.INFO)
        self.speaker = speaker

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            self.speaker.say(f"warning: {record.getMessage()}")
        elif record.levelno >= logging.INFO or hasattr(record, "of"):
            self.speaker.step(record.getMessage(), getattr(record, "done", None), getattr(record, "of", None))


def listen(speaker: "Speaker") -> None:
    """Let this speaker, and no earlier one, tell what the library logs."""
    logger = hush()
    logger.addHandler(_Told(speaker))
    logger.setLevel(logging.DEBUG if speaker.live else logging.INFO)


def hush() -> logging.Logger:
    """Let no speaker tell what the library logs any more."""
    logger = logging.getLogger("holdfast")
    logger.handlers = [handler for handler in logger.handlers if not isinstance(handler, _Told)]
    return logger


class Speaker:
    """A console that prints lines unchanged and knows whether it writes to a terminal.

    A quiet one tells no news, only how it ended; where that is printed as JSON already, it says nothing.
    """

    def __init__(self, to_stderr: bool = False, quiet: bool = False) -> None:
        self.quiet = quiet
        self.console = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False, quiet=quiet and to_stderr)
        self.live = self.console.is_terminal and not quiet
        if not self.console.is_terminal:
            self.console.width = max(self.console.width, WIDE)
        self.steps: Progress | None = None

    @staticmethod
    def of(arguments: Namespace) -> "Speaker":
        """Return the speaker that the flags ask for; what the library logs is told by it from then on."""
        speaker = Speaker(to_stderr=arguments.json, quiet=arguments.quiet)
        listen(speaker)
        return speaker

    @contextmanager
    def working(self) -> Iterator[None]:
        """Show on a terminal, while it is entered, what the library says it is doing."""
        columns = (SpinnerColumn(), BarColumn(bar_width=20), TimeElapsedColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=self.console, transient=True, disable=not self.live) as progress:
            self.steps = progress
            try:
                yield
            finally:
                self.steps = None

    def step(self, text: str, done: int | None = None, of: int | None = None) -> None:
        """Tell what is being done: beside a bar where there is one, which then shows how far it is."""
        if self.steps is None or not self.live:
            if of is None:
                self.news(text)
            return
        if not self.steps.tasks:
            self.steps.add_task("", total=None)
        (task,) = self.steps.tasks
        if of is None:
            self.steps.reset(task.id, total=None, description=printable(text))
        else:
            self.steps.update(task.id, completed=done, total=of)

    def say(self, text: str) -> None:
        """Print a line, however long."""
        self.console.print(printable(text), soft_wrap=True)

    def news(self, text: str) -> None:
        """Print a line about work under way."""
        if not self.quiet:
            self.say(text)

    def counted(self, text: str) -> None:
        """Print a line about work under way, where no bar shows it."""
        if not self.live:
            self.news(text)

    def table(self, table: Table, split: bool = False) -> None:
        """Print a table, turned if the terminal is too narrow for its words and numbers; or split between columns."""
        for piece in pieces(table, self.console) if split else [table]:
            self.console.print(fitted(piece, self.console))
