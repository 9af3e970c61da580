"""`holdfast resume`: an interrupted run, to the same end as without the interruption."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from holdfast.cli.run import play
from holdfast.cli.spec_flags import add_engine_flags, add_output, read_engine


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="the run folder")
    add_engine_flags(parser)
    add_output(parser)


def command(arguments: Namespace) -> int:
    from holdfast.runs.folder.run_folder import RunFolder
    from holdfast.runs.runner import resume

    engine = read_engine(arguments, lambda: str(RunFolder(arguments.run).manifest.about["engine"]))
    return play(arguments, lambda observer, stop: resume(arguments.run, observer, stop, engine=engine))
