"""Tables for a terminal."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.report.rendering import render
from holdfast.report.settings import grouped, heading, reachable
from holdfast.report.worst import is_oracle
from holdfast.runs.records import Record
from holdfast.runs.verdicts import score_of
from holdfast.studies.table import Cell


def accuracy_tables(results: Sequence[Record]) -> Iterator[Table]:
    """Yield one table per partition: the final test accuracy, one row per attack, one column per method."""
    for by_attack in grouped(results).values():
        every, (_, _, *methods), rows = _table(by_attack)
        table = Table(title=heading(every), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        table.add_column("attack")
        table.add_column("at\nbest", justify="right", style="dim")
        for method in methods:
            table.add_column(method.replace("-", "-\n"), justify="right", style="dim" if is_oracle(method) else "")
        best = best_places(by_attack, methods)
        for number, row in enumerate(rows):
            table.add_row(*(Text(cell, "bold" if (number, at) in best else "") for at, cell in enumerate(row)))
        yield table


def _table(by_attack: Mapping[str, Mapping[str, Record]]) -> tuple[list[Record], list[str], list[tuple[str, ...]]]:
    """Return all results of a table, its head and its rows."""
    every = [result for by_method in by_attack.values() for result in by_method.values()]
    methods = list(dict.fromkeys(method for by_method in by_attack.values() for method in by_method))
    return every, ["attack", "best possible", *methods], accuracy_rows(by_attack, methods)


def accuracy_rows(by_attack: Mapping[str, Mapping[str, Record]], methods: Sequence[str]) -> list[tuple[str, ...]]:
    """Return one row per attack: its name, the best possible accuracy, and what each method reached."""
    return [
        (attack, share(reachable(by_method)), *(cell(by_method.get(method)) for method in methods))
        for attack, by_method in by_attack.items()
    ]


def best_places(by_attack: Mapping[str, Mapping[str, Record]], methods: Sequence[str]) -> set[tuple[int, int]]:
    """Return row and column of the best value of each row, and of those that read the same; oracles do not compete."""
    score = score_of(result for by_method in by_attack.values() for result in by_method.values())
    found = set()
    for row, by_method in enumerate(by_attack.values()):
        reached = {
            column: score.of(by_method[method].last)
            for column, method in enumerate(methods, start=2)
            if method in by_method and not is_oracle(method)
        }
        best = score.text(max(reached.values(), key=score.goodness, default=None))
        found |= {(row, at) for at, value in reached.items() if value is not None and score.text(value) == best}
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


def cell(result: Record | None) -> str:
    """Return a result in a few characters, with the standard error of a mean; nothing for a run not asked for."""
    if result is None:
        return ""
    if trouble := Cell.mean([result]).trouble if not isinstance(result, Cell) else result.trouble:
        return trouble
    if result.last is None:
        return "-"
    score, error = result.score, result.error if isinstance(result, Cell) else None
    value, spread = score.text(score.of(result.last)), score.of(error)
    if spread is None:
        return value
    if "e" in value:
        return f"{value} ±{spread:.2g}"
    return f"{value} ±{spread:.{len(value.partition('.')[2])}f}"  # as many decimals as the mean has: more say nothing


def text(results: Sequence[Record]) -> str:
    """Return the tables as plain text."""
    console = Console(width=120, file=StringIO(), color_system=None)
    with console.capture() as captured:
        for table in accuracy_tables(results):
            console.print(table)
    return captured.get()


def run_html(run: Record) -> str:
    """Return how a run ended, as a notebook shows it."""
    told = {"rounds": str(run.rounds)}
    if run.last is not None:
        reached = {} if run.accuracy is None else {"accuracy": share(run.accuracy), "at best": share(run.ceiling)}
        told = reached | {"loss": f"{run.last.loss:.4g}", "variance": f"{run.last.variance:.3g}"} | told
    return render("notebook.html", heading=repr(run), head=[*told], rows=[[*told.values()]])


def html(results: Sequence[Record]) -> str:
    """Return the tables as a notebook shows them."""
    return "".join(
        render("notebook.html", heading=heading(every), head=head, rows=rows, best=best_places(by_attack, head[2:]))
        for by_attack in grouped(results).values()
        for every, head, rows in [_table(by_attack)]
    )
