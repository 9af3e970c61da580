"""`python -m benchmarks`: measure, print tables, write them down."""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from benchmarks.record import Measured, Record
from benchmarks.tables import Table
from benchmarks.targets import table, targets
from benchmarks.versions import load, machine, versions

SECTIONS = ("rules", "catalogue", "threads", "iterations", "growth", "starting")
THREAD_SETTINGS = (
    "HOLDFAST_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
ROOT = Path(__file__).parent.parent


def main() -> None:
    arguments = _arguments()
    about = {"machine": machine(), "versions": versions(), "load before": load()}
    measured = _measure(arguments)
    about["load after"] = load()
    sections = [import_module(f"benchmarks.sections.{name}") for name in arguments.only]
    tables = [found for section in sections for found in section.tables(measured)] + [table(measured)]
    head = [
        f"{about['machine']}; load {about['load before']} before, {about['load after']} after",
        ", ".join(f"{name} {number}" for name, number in about["versions"].items()),
        f"medians over {arguments.processes} processes",
        "ByzFL runs with a stub of torchvision, ByzPy and Flower with newer packages than they ask for.",
    ]
    print("\n".join([*head, *(found.text() for found in tables)]))
    _write_json(arguments.json, about, measured)
    if arguments.markdown:
        arguments.markdown.write_text("\n".join([*(f"{line}  " for line in head), "", *map(Table.markdown, tables)]))


def _arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks", description="how fast holdfast is, and against whom")
    parser.add_argument("--quick", action="store_true", help="fewer sizes, one process, under two minutes")
    parser.add_argument(
        "--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="NAME", help=" ".join(SECTIONS)
    )
    parser.add_argument("--processes", type=int, help="how many to take medians over (default 3; 1 with --quick)")
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results.json", help="where all numbers go")
    parser.add_argument("--markdown", type=Path, help="where to write the tables for docs/performance.md")
    arguments = parser.parse_args()
    arguments.processes = arguments.processes or (1 if arguments.quick else 3)
    return arguments


def _measure(arguments: Namespace) -> Measured:
    """Measure every section in fresh processes, one after another."""
    measured = Measured()
    for process in range(1, arguments.processes + 1):
        for name in arguments.only:
            begun = monotonic()
            measured.add(process, _measured_apart(name, process, arguments.quick))
            took = f"{name}, {monotonic() - begun:.0f} s, load {load()}"
            print(f"process {process}/{arguments.processes}: {took}", file=sys.stderr, flush=True)
    return measured


def _measured_apart(name: str, process: int, quick: bool) -> Record:
    threads = import_module(f"benchmarks.sections.{name}").THREADS
    environment = {key: value for key, value in os.environ.items() if key not in THREAD_SETTINGS}
    if threads:
        environment |= dict.fromkeys(THREAD_SETTINGS, str(threads))
    with TemporaryDirectory() as folder:
        file = Path(folder, "record.json")
        command = [
            sys.executable,
            "-m",
            "benchmarks.child",
            name,
            str(file),
            str(process),
            *(["quick"] if quick else []),
        ]
        subprocess.run(command, env=environment, cwd=ROOT, check=True)
        return Record(**json.loads(file.read_text()))


def _write_json(path: Path, about: dict, measured: Measured) -> None:
    reached = [
        {
            "target": target.what,
            "bound": target.bound,
            "at_least": target.at_least,
            "found": target.found,
            "met": target.met,
        }
        for target in targets(measured)
    ]
    content = about | {"targets": reached, "numbers": measured.numbers, "remarks": measured.remarks}
    path.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
