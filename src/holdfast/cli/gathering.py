"""What commands of many runs share: a folder that can be resumed, and one line per run that ends."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from holdfast.cli.console import Speaker
from holdfast.cli.counting import counting
from holdfast.cli.folders import results_folder
from holdfast.errors import InvalidInput
from holdfast.experiments.gathering import Arrived
from holdfast.experiments.records import Record
from holdfast.experiments.store import Store
from holdfast.files import sweep


@contextmanager
def folder_of(arguments: Namespace, label: str, stores: Sequence[str]) -> Iterator[Path]:
    """Own the folder of the results, which holds no runs unless they are to be resumed."""
    if arguments.resume and not (arguments.out and arguments.out.is_dir()):
        raise InvalidInput(f"--resume needs the folder of earlier runs; got --out {arguments.out}")
    with results_folder(arguments.out, label) as out:
        if not arguments.resume and any(any(out.glob(f"{name}/*.json")) for name in stores):
            raise InvalidInput(f"--out must hold no runs unless --resume is given; got {out}, which holds some")
        yield out


def store_at(speaker: Speaker, folder: Path, data_sha256: str) -> Store:
    """Return the store of finished runs in this folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out must name a folder that can be written; got {folder}: {error.strerror}") from None
    sweep(folder)
    return Store(folder, data_sha256, speaker.say)


@contextmanager
def told(speaker: Speaker, of: int, line: Callable[[Record], str]) -> Iterator[Arrived]:
    """Show each run as it ends: a bar on a terminal, plain lines elsewhere."""
    begun, counted, played = monotonic(), 0, 0
    with counting(speaker) as count:

        def arrived(record: Record, new: bool) -> None:
            nonlocal counted, played
            counted, played = counted + 1, played + new
            count(of)
            if not speaker.live and new:
                left = (monotonic() - begun) / played * (of - counted)
                speaker.say(f"{counted}/{of}  {line(record)}  accuracy {record.accuracy:.4f}  {left:.0f} s left")

        yield arrived
