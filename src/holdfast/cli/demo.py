"""`holdfast demo`: RSA and its rivals on data that come with the package."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.cli.compare import show
from holdfast.cli.folders import results_folder
from holdfast.cli.options import add_jobs, add_output
from holdfast.experiments.demonstration import demo_specs


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=Path("demo"), metavar="DIR", help="folder of the page (default: demo)"
    )
    add_jobs(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    title = "RSA and its rivals on the embedded digits, 8 of 20 workers Byzantine"
    with results_folder(arguments.out, "demo") as out:
        return show(demo_specs(), arguments, title, out)
