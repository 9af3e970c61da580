"""Tests, collected once: which of them run a function, and whether any of them fails once it is changed."""

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

Called = dict[tuple[str, str], list[tuple[float, int]]]
"""The seconds and places of the tests that call (file, function); (file, "") is any in the file, ("", "") in none."""

WATCHED = 0.5
"""Seconds for which a test is watched: watching makes it many times slower, and what it calls, it calls early."""
PATIENCE = 60
"""Seconds of the processor after which a change counts as noticed: it made something endless.

Not of the clock, on which a busy machine makes every test endless. Ten times as many there, for what waits forever.
"""


def passes(items: list[pytest.Item], before: Callable[[], None]) -> bool:
    """Return whether all tests pass in a child process that does something before."""
    child = os.fork()
    if child == 0:
        for ended in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(ended, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        signal.alarm(10 * PATIENCE)
        _silence()
        try:
            before()
            os._exit(0 if all(_passed(items)) else 1)
        except BaseException:  # the change itself fails
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _passed(items: list[pytest.Item]) -> Iterable[bool]:
    for item, following in zip(items, [*items[1:], None], strict=True):
        reports = runtestprotocol(item, log=False, nextitem=following)
        yield not any(report.failed for report in reports)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def called(items: list[pytest.Item], files: Iterable[Path]) -> Called:
    """Return which tests call which functions of the files, the shortest test first."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        _silence()
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(_traced(items, {str(path): path.read_text() for path in files}), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found: Called = pickle.load(pipe)
    os.wait()
    return found


def _traced(items: list[pytest.Item], files: Any) -> Called:
    found: Called = {}
    for place, item in enumerate(items):
        seen: set[tuple[str, str]] = set()

        begun = time.process_time()  # not of the clock: on a busy machine a change would be given fewer tests

        def trace(
            frame: FrameType, event: str, argument: object, seen: set[tuple[str, str]] = seen, begun: float = begun
        ) -> None:
            if time.process_time() > begun + WATCHED:
                sys.settrace(None)
            if frame.f_code.co_filename in files:
                function = frame.f_code.co_qualname.partition(".<")[0]
                seen.update([(frame.f_code.co_filename, function), (frame.f_code.co_filename, "")])

        sys.settrace(trace)
        (passed,) = _passed([item])
        sys.settrace(None)
        for where in (seen or {("", "")}) if passed else ():
            found.setdefault(where, []).append((time.process_time() - begun, place))
    return {where: sorted(tests) for where, tests in found.items()}
