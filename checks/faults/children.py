"""Commands in child processes that are forked once everything is imported and compiled."""

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from holdfast.cli import main

PATIENCE = 120


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit status, or minus the signal that killed it."""

    status: int
    stderr: str
    calls: tuple[str, ...] = ()

    @property
    def one_line(self) -> bool:
        return self.stderr.startswith("holdfast: ") and self.stderr.count("\n") == 1


def command(argv: Sequence[str], prepare: Callable[[], list[str]] = list) -> Ended:
    """Run a command in a child; `prepare` is called there first and returns a list to which it may append."""
    with TemporaryFile() as said, TemporaryFile() as counted:
        child = os.fork()
        if child == 0:
            _play(argv, prepare, said.fileno(), counted.fileno())
        _, ended = os.waitpid(child, 0)
        said.seek(0)
        counted.seek(0)
        calls = counted.read().decode().split()
        return Ended(os.waitstatus_to_exitcode(ended), said.read().decode(errors="replace"), tuple(calls))


def _play(argv: Sequence[str], prepare: Callable[[], list[str]], said: int, counted: int) -> None:
    signal.alarm(PATIENCE)
    exit_now, write = os._exit, os.write
    status = 99
    try:
        os.dup2(said, 2)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True)
        sys.stdout = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_WRONLY), "w"))
        calls = prepare()
        status = main(argv)
        write(counted, " ".join(calls).encode())
    except BaseException:
        traceback.print_exc()
    exit_now(status)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
