"""Accuracy tables for a terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table

from holdfast.experiments.result import Result
from holdfast.report.settings import grouped, heading, reachable


def accuracy_tables(results: Sequence[Result]) -> Iterator[Table]:
    """Yield one table a partition: a row an attack, a column a method, the final test accuracy inside."""
    for by_attack in grouped(results).values():
        every = [result for by_method in by_attack.values() for result in by_method.values()]
        methods = list(dict.fromkeys(result.spec.method for result in every))
        table = Table(title=heading(every), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        table.add_column("attack")
        table.add_column("at\nbest", justify="right", style="dim")
        for method in methods:
            table.add_column(method.replace("-", "-\n"), justify="right", style="bold" if method == "rsa" else "")
        for attack, by_method in by_attack.items():
            table.add_row(attack, share(reachable(by_method)), *(cell(by_method.get(method)) for method in methods))
        yield table


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
