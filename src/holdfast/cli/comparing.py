"""`holdfast compare` and `holdfast demo`."""

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from holdfast import atomic
from holdfast.cli.options import spec_of
from holdfast.cli.running import new_folder
from holdfast.experiments import Result, Spec
from holdfast.experiments.comparison import compare, grid
from holdfast.experiments.demonstration import demo_specs

SWEPT = ("method", "attack", "partition")


def command_compare(arguments: Namespace) -> int:
    base = spec_of(arguments, without=SWEPT)
    specs = grid(base, arguments.method, arguments.attack, arguments.partition)
    title = f"{len(arguments.method)} methods on {base.data}"
    return _show(specs, arguments, title, arguments.out or new_folder("compare"))


def command_demo(arguments: Namespace) -> int:
    title = "RSA and its rivals on the embedded digits, 8 of 20 workers Byzantine"
    return _show(demo_specs(), arguments, title, arguments.out)


def _show(specs: Sequence[Spec], arguments: Namespace, title: str, out: Path) -> int:
    from holdfast.report.page import page
    from holdfast.report.tables import accuracy_tables

    console = Console(stderr=arguments.json)
    results = _with_progress(console, specs, arguments.jobs)
    written = {"title": title, "runs": [_entry(result) for result in results]}
    if arguments.json:
        print(json.dumps(written, allow_nan=False))
    if not console.is_terminal:
        console.width = max(console.width, 120)
    for table in accuracy_tables(results):
        console.print(table)
    atomic.write(out / "results.json", json.dumps(written, allow_nan=False).encode())
    atomic.write(out / "report.html", page(title, results).encode())
    console.print(f"page with the curves: {out / 'report.html'}", highlight=False, soft_wrap=True)
    return 0


def _entry(result: Result) -> dict[str, object]:
    spec = result.spec
    return {"method": spec.method, "attack": spec.attack, "partition": spec.partition} | result.to_json()


def _with_progress(console: Console, specs: Sequence[Spec], jobs: int | None) -> list[Result]:
    columns = (
        TextColumn("runs"),
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)

        def finished(result: Result, of: int) -> None:
            progress.update(task, advance=1, total=of)
            if not console.is_terminal:
                accuracy = "diverged" if result.accuracy is None else f"{result.accuracy:.4f}"
                spec = result.spec
                console.print(f"{spec.partition}  {spec.attack}  {spec.method}  {accuracy}", highlight=False)

        return compare(specs, jobs, finished)
