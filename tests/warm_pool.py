"""What a process of a pool has done before it gets its work: imported holdfast, read the digits, loaded kernels."""

import contextlib
import os

import holdfast.studies.pool  # noqa: F401
from holdfast.cli import main
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec


def print_nothing(*argv: str) -> None:
    """Run a command whose output goes nowhere."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        main(argv)


run(Spec(data="digits", rounds=1))
