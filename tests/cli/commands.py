"""Commands run to their end in this process, with what they printed and wrote."""

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.cli import main
from strict_json import strict


class Printed(NamedTuple):
    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Ended:
    """A command that ended, and the folder it wrote to."""

    status: int
    stdout: str
    stderr: str
    out: Path

    @property
    def results(self) -> Any:
        return strict((self.out / "results.json").read_text())


def command(*argv: str) -> Printed:
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        status = main(argv)
    return Printed(status, stdout.getvalue(), stderr.getvalue())


def command_into(out: Path, *argv: str) -> Ended:
    return Ended(*command(*argv, "--out", str(out)), out)
