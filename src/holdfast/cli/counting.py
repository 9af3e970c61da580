"""How many runs are over, and how long the rest will take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from holdfast.cli.console import Speaker


@contextmanager
def counting(speaker: Speaker) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal; yield a function that counts one more run, given how many there will be."""
    columns = (TextColumn("runs"), MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=speaker.console, transient=True, disable=not speaker.live) as progress:
        task = progress.add_task("", total=None)

        def count(of: int) -> None:
            progress.update(task, advance=1, total=of)

        yield count
