"""`holdfast inspect`: show one run worker by worker."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import add_output
from holdfast.errors import InvalidInput
from holdfast.files import write_atomic
from holdfast.insight.inspection import inspect


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="page to write (default: report.html in the run folder)"
    )
    add_output(parser)


def command(arguments: Namespace) -> int:
    from holdfast.report.run_page import run_page
    from holdfast.report.worker_table import remarks, worker_table

    reporter = Reporter.of(arguments)
    found = inspect(arguments.run)
    out: Path = arguments.out or arguments.run / "report.html"
    try:
        write_atomic(out, run_page(found).html().encode())
    except OSError as error:
        raise InvalidInput(f"--out must name a file that can be written; got {out}: {error.strerror}") from None
    if arguments.json:
        print(json.dumps(found.to_json() | {"page": str(out)}, allow_nan=False))
    reporter.print_table(worker_table(found.workers).terminal())
    if found.verdict:
        (reporter.alarm if found.guesses else reporter.say)(found.verdict)
    for line in (*found.notes, *remarks(found.workers), f"page of the run: {out}"):
        reporter.say(line)
    return 0
