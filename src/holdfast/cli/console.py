"""Where the command writes: text as it is, however odd a name may be, but nothing that a terminal obeys."""

from rich.console import Console

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
    """A console that prints lines unchanged and knows whether it writes to a terminal."""

    def __init__(self, to_stderr: bool = False) -> None:
        self.console = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)
        self.live = self.console.is_terminal
        if not self.live:
            self.console.width = max(self.console.width, WIDE)

    def say(self, text: str) -> None:
        """Print a line, however long."""
        self.console.print(printable(text), soft_wrap=True)
