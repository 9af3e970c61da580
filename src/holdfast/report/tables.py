"""Tables for a terminal."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from holdfast.experiments.result import Result
from holdfast.experiments.scores import score_of
from holdfast.report.settings import grouped, heading, reachable
from holdfast.report.worst import is_oracle


def accuracy_tables(results: Sequence[Result]) -> Iterator[Table]:
    """Yield one table per partition: the final test accuracy, one row per attack, one column per method."""
    for by_attack in grouped(results).values():
        every = [result for by_method in by_attack.values() for result in by_method.values()]
        methods = list(dict.fromkeys(method for by_method in by_attack.values() for method in by_method))
        table = Table(title=heading(every), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        table.add_column("attack")
        table.add_column("at\nbest", justify="right", style="dim")
        for method in methods:
            table.add_column(method.replace("-", "-\n"), justify="right", style="dim" if is_oracle(method) else "")
        best = best_places(by_attack, methods)
        for number, row in enumerate(accuracy_rows(by_attack, methods)):
            table.add_row(*(Text(cell, "bold" if (number, at) in best else "") for at, cell in enumerate(row)))
        yield table


def accuracy_rows(by_attack: Mapping[str, Mapping[str, Result]], methods: Sequence[str]) -> list[tuple[str, ...]]:
    """Return one row per attack: its name, the best possible accuracy, and what each method reached."""
    return [
        (attack, share(reachable(by_method)), *(cell(by_method.get(method)) for method in methods))
        for attack, by_method in by_attack.items()
    ]


def best_places(by_attack: Mapping[str, Mapping[str, Result]], methods: Sequence[str]) -> set[tuple[int, int]]:
    """Return row and column of the best value of each row, and of those that read the same; oracles do not compete."""
    score = score_of(result for by_method in by_attack.values() for result in by_method.values())
    found = set()
    for row, by_method in enumerate(by_attack.values()):
        reached = {
            column: score.of(by_method[method].last)
            for column, method in enumerate(methods, start=2)
            if method in by_method and not is_oracle(method)
        }
        best = max(reached.values(), key=score.goodness, default=None)
        found |= {
            (row, column)
            for column, value in reached.items()
            if best is not None and score.text(value) == score.text(best)
        }
    return found


def text_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str | None = None,
    best: Collection[tuple[int, int]] = (),
) -> Table:
    """Return a table for a terminal, of numbers but for its first column; the best values are bold."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for column, name in enumerate(head):
        table.add_column(name, justify="right" if column else "left")
    for number, row in enumerate(rows):
        table.add_row(*(Text(cell, "bold" if (number, at) in best else "") for at, cell in enumerate(row)))
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
