"""Where the command writes: text as it is, however odd a name may be, but nothing that a terminal obeys."""

from argparse import Namespace

from rich.console import Console
from rich.table import Table

from holdfast.cli.turning import fitted

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

    @staticmethod
    def of(arguments: Namespace) -> "Speaker":
        """Return the speaker that the flags ask for."""
        return Speaker(to_stderr=arguments.json, quiet=arguments.quiet)

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

    def table(self, table: Table) -> None:
        """Print a table, turned if the terminal is too narrow for its words and numbers."""
        self.console.print(fitted(table, self.console))
