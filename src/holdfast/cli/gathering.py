"""What commands of many runs share: a folder that can be resumed, and one line per run that ends."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from holdfast.cli.console import Speaker
from holdfast.cli.folders import holds_nothing, results_folder
from holdfast.errors import INTERRUPTED, InvalidInput
from holdfast.files import check_writable, reason, sweep
from holdfast.runs.observers import RunsBar
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.auto_numbers import NumbersKeeper
from holdfast.studies.store import Store
from holdfast.studies.study import Arrived, Study


def add_resumable(parser: ArgumentParser) -> None:
    """Add the flags of a folder that can be resumed, and of the processes that fill it."""
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of page and runs (default: under runs/)")
    parser.add_argument("--resume", action="store_true", help="resume in --out: what is finished there is not repeated")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes to use (default: one per core)")


def resumable(
    speaker: Speaker, arguments: Namespace, label: str, stores: Sequence[str], act: Callable[[Path], int]
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
            speaker.say(f"interrupted; {'nothing was finished yet' if holds_nothing(out) else again}")
            return INTERRUPTED


def open_study(
    speaker: Speaker,
    jobs: int | None,
    folder: Path,
    line: Callable[[Spec], str],
    digest: Callable[[Spec], str],
    numbers: NumbersKeeper | None = None,
) -> Study:
    """Return the study whose finished runs lie in this folder; `line` names a run in one line."""
    return Study(jobs, open_store(speaker, folder, digest), numbers, partial(tell, speaker, jobs, line))


def open_store(speaker: Speaker, folder: Path, digest: Callable[[Spec], str]) -> Store:
    """Return the store of finished runs in this folder, which the first run makes."""
    try:
        check_writable(folder)
        if folder.exists():
            sweep(folder)
    except OSError as error:
        raise InvalidInput(f"--out must name a folder that can be written; got {folder}: {reason(error)}") from None
    return Store(folder, speaker.say, digest)


@contextmanager
def tell(speaker: Speaker, jobs: int | None, line: Callable[[Spec], str], specs: Sequence[Spec]) -> Iterator[Arrived]:
    """Show each of these runs as it ends: a bar on a terminal, plain lines elsewhere."""
    begun, counted, played = monotonic(), 0, 0
    with RunsBar(jobs, speaker.console, disable=not speaker.live) as bar:
        bar.began([*map(line, specs)])

        def arrive(record: Record, new: bool) -> None:
            nonlocal counted, played
            counted, played = counted + 1, played + new
            bar.ended(line(record.spec))
            if new:
                left = (monotonic() - begun) / played * (len(specs) - counted)
                reached = record.failed or f"{record.score.name} {record.score.text(record.reached)}"
                speaker.counted(f"{counted}/{len(specs)}  {line(record.spec)}  {reached}  {left:.0f} s left")

        yield arrive
