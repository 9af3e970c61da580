"""The tables of a comparison: scores by attack and method, and how each method was set up."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.table import Table

from holdfast.methods import method_text
from holdfast.report.text_table import TextTable, share_text
from holdfast.report.worst_cases import ByAttack, ceiling_of, cells_of, guessing_of, is_oracle, list_guessers
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name
from holdfast.runs.verdicts import choose_score
from holdfast.studies.table import Cell, Comparison

LIMITS = {"guessing": guessing_of, "ceiling": ceiling_of}
"""Columns of what needs no learning, and of what cannot be exceeded."""


def accuracy_table(by_attack: ByAttack) -> TextTable:
    """Return the final scores: one row per attack, one column per method, and guessing and ceiling if known.

    The best of a row is marked, and what noise does not tell from it; what is no better than guessing is red.
    """
    methods = list(dict.fromkeys(method for by_method in by_attack.values() for method in by_method))
    limits = {name: [share_text(of(row)) for row in by_attack.values()] for name, of in LIMITS.items()}
    score = choose_score(cells_of(by_attack))
    shown = [name for name, texts in limits.items() if score.share and {*texts} != {share_text(None)}]
    rows, best, bad = [], set(), set()
    for number, (attack, by_method) in enumerate(by_attack.items()):
        first = [attack, *(limits[name][number] for name in shown)]
        texts = {method: cell_text(by_method[method]) if method in by_method else "" for method in methods}
        rows.append((*first, *texts.values()))
        columns = {method: at for at, method in enumerate(methods, start=len(first)) if method in by_method}
        bad |= {(number, at) for method, at in columns.items() if by_method[method].guesses}
        competing = {
            method: value
            for method in columns
            if not is_oracle(method) and (value := score.of(by_method[method].last)) is not None
        }
        if not competing:
            continue
        top = max(competing, key=lambda method: score.goodness(competing[method]))
        best |= {
            (number, columns[method])
            for method, value in competing.items()
            if score.text(value) == score.text(competing[top]) or by_method[top].is_level(by_method[method], score)
        }
    kinds = [None, *["oracle"] * len(shown), *("oracle" if is_oracle(method) else None for method in methods)]
    return TextTable(["attack", *shown, *methods], rows, best - bad, kinds, bad=bad)


def settings_table(by_attack: ByAttack) -> TextTable:
    """Return flags and traffic of each method, and under which attacks."""
    attacks: dict[tuple[str, ...], list[str]] = {}
    for method in dict.fromkeys(method for by_method in by_attack.values() for method in by_method):
        for attack, by_method in by_attack.items():
            if (cell := by_method.get(method)) is not None:
                traffic = f"{cell.bytes_up:,} bytes up, {cell.bytes_down:,} down"
                attacks.setdefault((method, method_flags(cell.spec), traffic), []).append(attack)
    rows = [(method, ", ".join(under), flags, traffic) for (method, flags, traffic), under in attacks.items()]
    return TextTable(["method", "attack", "settings", "per worker and round"], rows, (), (None, None, "code"), "text")


def heading(cells: Sequence[Cell]) -> str:
    """Return what all these results have in common, in one line."""
    specs = [cell.spec for cell in cells]
    counts = sorted({spec.q for spec in specs if spec.attack is not None})
    byzantine = f"{' or '.join(map(str, counts)) or 0} of them Byzantine under attack"
    told = sorted({spec.declared for spec in specs if spec.attack is None and spec.declared})
    score, seeds = choose_score(cells), max(len(cell.runs) for cell in cells)
    return (
        f"{_list(data_name(spec.data) for spec in specs)}, {specs[0].partition_text}: "
        f"{_list(spec.workers for spec in specs)} workers, {byzantine}, {_list(spec.rounds for spec in specs)} rounds"
        + ("" if score.name == "accuracy" else f", {score.title}")
        + (f", rules are told {' or '.join(map(str, told))} without an attack too" if counts and told else "")
        + (f", mean of {seeds} seeds ± standard error" if seeds > 1 else "")
    )


def _list(values: Iterable[object]) -> str:
    return " or ".join(dict.fromkeys(map(str, values)))


def method_flags(spec: Spec) -> str:
    """Return the flags of a spec that may differ between methods."""
    rate = f"--schedule {spec.schedule}" if spec.rate is None else f"--rate {spec.rate:g}"
    momentum = f" --momentum {spec.momentum:g}" if spec.momentum else ""
    return f"--method {method_text(spec.method)} {rate}{momentum}"


def result_text(result: Record) -> str:
    """Return the final score of one run."""
    return cell_text(Cell.mean([result]))


def cell_text(cell: Cell) -> str:
    """Return the final score of a cell, with the standard error of a mean."""
    if cell.trouble:
        return cell.trouble
    score = cell.score
    if cell.last is None:
        return "-"
    value, spread = score.text(score.of(cell.last)), score.of(cell.error)
    if spread is None:
        return value
    if "e" in value:
        return f"{value} ±{spread:.2g}"
    return f"{value} ±{spread:.{len(value.partition('.')[2])}f}"  # as many decimals as the mean has: more say nothing


def terminal_tables(results: Sequence[Record]) -> Iterator[Table]:
    """Yield one table per partition for a terminal."""
    for by_attack in Comparison.of(results).tables.values():
        yield accuracy_table(by_attack).terminal(heading(cells_of(by_attack)), break_after="-")


def text(results: Sequence[Record]) -> str:
    """Return the tables as plain text."""
    console = Console(width=120, file=StringIO(), color_system=None)
    with console.capture() as captured:
        for table in terminal_tables(results):
            console.print(table)
        for line in list_guessers(Comparison.of(results).tables):
            console.print(line, soft_wrap=True)
    return captured.get()
