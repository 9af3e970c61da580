"""`holdfast run`: train once."""

import json
import shlex
import signal
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self

from holdfast.cli.reporter import Reporter, RunReport, describe
from holdfast.cli.spec_flags import add_output, add_spec_flags, read_spec
from holdfast.errors import INTERRUPTED
from holdfast.runs.observers import Interrupted

if TYPE_CHECKING:  # what computes is loaded behind the first line
    from holdfast.runs.records import Result

SHOWN = 5
"""How many faults the summary shows."""


class PoliteStop:
    """While entered, the first SIGINT or SIGTERM stops the run after its round; a second one ends the process."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: a new one under runs/)")
    add_output(parser)


def command(arguments: Namespace) -> int:
    from holdfast.cli.results_folders import claim_folder
    from holdfast.runs.folder.run_folder import RunFolder

    spec = read_spec(arguments)
    if arguments.out:
        RunFolder.check_new(arguments.out)
    folder = arguments.out or partial(claim_folder, spec.method_name)

    def act(observer: RunReport, stop: PoliteStop) -> "Result":
        from holdfast.cli.announcements import announce_run

        plan = announce_run(observer.reporter, spec)  # before the runner is loaded

        from holdfast.runs.runner import run

        return run(plan, folder, observer, stop)

    return play(arguments, act)


def play(arguments: Namespace, act: Callable[[RunReport, PoliteStop], "Result"]) -> int:
    """Play a run to its end, or until Ctrl-C, and say how it ended."""
    reporter = Reporter.of(arguments)
    try:
        with PoliteStop() as stop, reporter.observe_run() as observer:
            result = act(observer, stop)
    except Interrupted as stopped:
        again = f"holdfast resume {shlex.quote(str(stopped.folder))}"
        elsewhere = f", or in this process alone, to the same end: {again} --engine simulated" if stopped.lost else ""
        reporter.say(f"{stopped}; resume with: {again}{elsewhere}")
        return INTERRUPTED
    if arguments.json:
        print(json.dumps(result.to_json(), allow_nan=False))
    _say_end(reporter, result)
    return 0


def _say_end(reporter: Reporter, result: "Result") -> None:
    from holdfast.insight.inspection import inspect_result
    from holdfast.report.worker_table import remarks

    seconds = result.seconds + result.evaluation_seconds
    outcome = f"diverged at round {result.diverged}" if result.last is None else describe(result.last)
    reporter.say(f"{result.spec.method_name}: {outcome}  after {result.rounds} rounds in {seconds:.1f} s")
    if result.verdict:
        (reporter.alarm if result.guesses else reporter.say)(result.verdict)
    lines = _list_faults(result)
    found = inspect_result(result)
    lines += remarks(found.workers)
    lines += [missing] if (missing := found.missing_judgement) else []
    lines += [f"worker by worker: holdfast inspect {shlex.quote(str(result.folder))}", f"run folder: {result.folder}"]
    reporter.say("\n".join(lines))


def _list_faults(result: "Result") -> list[str]:
    """Return how many answers are missing from the result, and the latest faults of workers."""
    absent = [f"{result.absent} answers were late or unusable, and left out"] if result.absent else []
    shown, more = result.faults[-SHOWN:], len(result.faults) - SHOWN
    earlier = [f"{more} earlier faults are in result.json"] if more > 0 else []
    return [*absent, *(f"fault: {fault}" for fault in shown), *earlier]
