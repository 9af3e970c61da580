"""`holdfast run`: train once."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from holdfast.cli.announcing import announced
from holdfast.cli.console import Speaker
from holdfast.cli.folders import claim_folder
from holdfast.cli.interrupts import PoliteStop
from holdfast.cli.options import add_output, add_spec_flags, spec_of
from holdfast.cli.progress import EnteredWatcher, text, watcher
from holdfast.errors import INTERRUPTED
from holdfast.insight.inspection import individuals, inspect
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.observers import Interrupted
from holdfast.runs.records import Result
from holdfast.runs.runner import run

SHOWN = 5
"""How many faults the summary shows."""


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run folder (default: a new one under runs/)")
    add_output(parser)


def command(arguments: Namespace) -> int:
    spec = spec_of(arguments)
    if arguments.out:
        RunFolder.check_new(arguments.out)
    folder = arguments.out or partial(claim_folder, spec.method_name)
    return play(arguments, lambda watcher, stop: run(announced(watcher.speaker, spec), folder, watcher, stop))


def play(arguments: Namespace, act: Callable[[EnteredWatcher, PoliteStop], Result]) -> int:
    """Play a run to its end, or until Ctrl-C, and say how it ended."""
    speaker = Speaker.of(arguments)
    try:
        with PoliteStop() as stop, watcher(speaker) as watching:
            result = act(watching, stop)
    except Interrupted as stopped:
        again = f"holdfast resume {shlex.quote(str(stopped.folder))}"
        elsewhere = f", or in this process alone, to the same end: {again} --engine simulated" if stopped.lost else ""
        speaker.say(f"{stopped}; resume with: {again}{elsewhere}")
        return INTERRUPTED
    if arguments.json:
        print(json.dumps(result.to_json(), allow_nan=False))
    speaker.say(_summary(result))
    return 0


def _summary(result: Result) -> str:
    from holdfast.report.worker_table import remarks

    seconds = result.seconds + result.evaluation_seconds
    outcome = f"diverged at round {result.diverged}" if result.last is None else text(result.last)
    ended = f"{result.spec.method_name}: {outcome}  after {result.rounds} rounds in {seconds:.1f} s"
    said = remarks(individuals(result.spec, result.history, result.personal))
    judged = [result.verdict] if result.verdict else []
    unjudged = inspect(result.folder).unjudged if result.folder else None
    said += [unjudged] if unjudged else []
    further = f"worker by worker: holdfast inspect {shlex.quote(str(result.folder))}"
    return "\n".join([ended, *judged, *_went_wrong(result), *said, further, f"run folder: {result.folder}"])


def _went_wrong(result: Result) -> list[str]:
    """Return how many answers are missing from the result, and the latest faults of workers."""
    absent = [f"{result.absent} answers were late or unusable, and left out"] if result.absent else []
    shown, more = result.faults[-SHOWN:], len(result.faults) - SHOWN
    earlier = [f"{more} earlier faults are in result.json"] if more > 0 else []
    return [*absent, *(f"fault: {fault}" for fault in shown), *earlier]
