"""Tables for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.table import Table

from holdfast.experiments.result import Result
from holdfast.report.settings import grouped, heading, reachable


def accuracy_tables(results: Sequence[Result]) -> Iterator[Table]:
    """Yield one table per partition: the final test accuracy, one row per attack, one column per method."""
    for by_attack in grouped(results).values():
        every = [result for by_method in by_attack.values() for result in by_method.values()]
        methods = list(dict.fromkeys(method for by_method in by_attack.values() for method in by_method))
        table = Table(title=heading(every), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        table.add_column("attack")
        table.add_column("at\nbest", justify="right", style="dim")
        for method in methods:
            table.add_column(method.replace("-", "-\n"), justify="right", style="bold" if method == "rsa" else "")
        for row in accuracy_rows(by_attack, methods):
            table.add_row(*row)
        yield table


def accuracy_rows(by_attack: Mapping[str, Mapping[str, Result]], methods: Sequence[str]) -> list[tuple[str, ...]]:
    """Return one row per attack: its name, the best possible accuracy, and what each method reached."""
    return [
        (attack, share(reachable(by_method)), *(cell(by_method.get(method)) for method in methods))
        for attack, by_method in by_attack.items()
    ]


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> Table:
    """Return a table for a terminal, of numbers but for its first column; RSA is bold."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for column, name in enumerate(head):
        table.add_column(name, justify="right" if column else "left")
    for row in rows:
        table.add_row(*row, style="bold" if row[0] == "RSA" else "")
    return table


def share(accuracy: float | None) -> str:
    """Return an accuracy, if there is one."""
    return "-" if accuracy is None else f"{accuracy:.3f}"


def cell(result: Result | None) -> str:
    """Return a result in a few characters; nothing for a run that was not asked for."""
    if result is None:
        return ""
    if result.diverged is not None:
        return "diverged"
    if result.last is None:
        return "-"
    return f"{result.last.loss:.3g}" if result.accuracy is None else share(result.accuracy)
