"""`holdfast run` and `holdfast resume`."""

import json
import shlex
from argparse import Namespace
from collections.abc import Callable
from datetime import datetime
from itertools import count
from pathlib import Path

from holdfast.cli.compiling import tell_when_compiling
from holdfast.cli.console import Speaker
from holdfast.cli.interrupts import PoliteStop
from holdfast.cli.options import spec_of
from holdfast.cli.progress import PlainWatcher, text, watcher
from holdfast.experiments import Interrupted, Result, Spec, resume, run
from holdfast.experiments.automatic import settled
from holdfast.experiments.defaults import resolved
from holdfast.experiments.individuals import individuals
from holdfast.experiments.spec import AUTO
from holdfast.report.settings import setting

INTERRUPTED = 130


def command_run(arguments: Namespace) -> int:
    spec = spec_of(arguments)
    folder = arguments.out or new_folder(spec.method)
    return _play(arguments.json, lambda watcher, stop: run(_told(spec, watcher), folder, watcher, stop))


def _told(spec: Spec, watcher: PlainWatcher) -> Spec:
    """Return the spec with numbers for what it leaves to the rule, and say them."""
    if AUTO not in (spec.penalty, spec.rate):
        return spec
    found = settled(resolved(spec))
    watcher.speaker.say(f"{found.method} {setting(found)}")
    return found


def command_resume(arguments: Namespace) -> int:
    return _play(arguments.json, lambda watcher, stop: resume(arguments.run, watcher, stop))


def new_folder(label: str) -> Path:
    """Return a folder under `runs/` that does not exist yet."""
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{label}"
    candidates = (Path("runs", name if n == 1 else f"{name}-{n}") for n in count(1))
    return next(path for path in candidates if not path.exists())


def _play(as_json: bool, play: Callable[[PlainWatcher, PoliteStop], Result]) -> int:
    speaker = Speaker(to_stderr=as_json)
    tell_when_compiling(speaker)
    try:
        with PoliteStop() as stop, watcher(speaker) as watching:
            result = play(watching, stop)
    except Interrupted as stopped:
        speaker.say(f"{stopped}; go on with: holdfast resume {shlex.quote(str(stopped.folder))}")
        return INTERRUPTED
    if as_json:
        print(json.dumps(result.to_json(), allow_nan=False))
    speaker.say(_summary(result))
    return 0


def _summary(result: Result) -> str:
    from holdfast.report.worker_rows import remarks

    seconds = result.seconds + result.evaluation_seconds
    outcome = f"diverged at round {result.diverged}" if result.last is None else text(result.last)
    ended = f"{result.spec.method}: {outcome}  after {result.rounds} rounds in {seconds:.1f} s"
    late = [f"{result.absent} answers came too late and were left out"] if result.absent else []
    said = remarks(individuals(result.spec, result.history, result.personal))
    return "\n".join([ended, *late, *said, f"run folder: {result.folder}"])
