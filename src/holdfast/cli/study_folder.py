"""What commands of many runs share: a folder that can be resumed."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from holdfast.cli.reporter import Reporter
from holdfast.cli.results_folders import holds_nothing, results_folder
from holdfast.errors import INTERRUPTED, InvalidInput
from holdfast.files import check_writable, reason, sweep
from holdfast.runs.spec import Spec
from holdfast.studies.auto_numbers import NumbersKeeper
from holdfast.studies.store import Store
from holdfast.studies.study import Study


def add_resumable(parser: ArgumentParser) -> None:
    """Add the flags of a folder that can be resumed, and of the processes that fill it."""
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of page and runs (default: under runs/)")
    parser.add_argument("--resume", action="store_true", help="resume in --out: what is finished there is not repeated")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes to use (default: one per core)")


def resumable(
    reporter: Reporter, arguments: Namespace, label: str, stores: Sequence[str], act: Callable[[Path], int]
) -> int:
    """Act in the folder of the results, which holds no runs unless they are to be resumed; return the exit status."""
    if arguments.resume and not (arguments.out and arguments.out.is_dir()):
        raise InvalidInput(f"--resume needs the folder of earlier runs; got --out {arguments.out}")
    with results_folder(arguments.out, label) as out:
        if not arguments.resume and any(any(out.glob(f"{name}/*.json")) for name in stores):
            raise InvalidInput(f"--out must hold no runs unless --resume is given; got {out}, which holds some")
        try:
            return act(out)
        except KeyboardInterrupt:
            again = f"resume with the same command and: --out {shlex.quote(str(out))} --resume"
            reporter.say(f"interrupted; {'nothing was finished yet' if holds_nothing(out) else again}")
            return INTERRUPTED


def open_study(
    reporter: Reporter,
    jobs: int | None,
    folder: Path,
    line: Callable[[Spec], str],
    digest: Callable[[Spec], str],
    numbers: NumbersKeeper | None = None,
) -> Study:
    """Return the study whose finished runs lie in this folder; `line` names a run in one line."""
    return Study(
        jobs, open_store(reporter, folder, digest), numbers, lambda specs: reporter.observe_runs(specs, jobs, line)
    )


def open_store(reporter: Reporter, folder: Path, digest: Callable[[Spec], str]) -> Store:
    """Return the store of finished runs in this folder, which the first run makes."""
    try:
        check_writable(folder)
        if folder.exists():
            sweep(folder)
    except OSError as error:
        raise InvalidInput(f"--out must name a folder that can be written; got {folder}: {reason(error)}") from None
    return Store(folder, reporter.say, digest)
