"""Where the command writes: text as it is, however odd a folder's name may be."""

from rich.console import Console

WIDE = 120


class Speaker:
    """A console that prints lines unchanged and knows whether it writes to a terminal."""

    def __init__(self, to_stderr: bool = False) -> None:
        self.console = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False)
        self.live = self.console.is_terminal
        if not self.live:
            self.console.width = max(self.console.width, WIDE)

    def say(self, text: str) -> None:
        """Print a line, however long."""
        self.console.print(text, soft_wrap=True)
