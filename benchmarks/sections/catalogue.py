"""Every rule and stage of ours against what it cannot do without, and against the fastest peer. One thread.

Times are the processor's, not the clock's: what else runs on the machine matters less.

Rules that go through the numbers have to read the rows, all others need the pairwise distances, and a stage that
returns as many rows as it is given has to write them, too.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks.contestants import LIBRARIES, PEERS
from benchmarks.floors import read_once
from benchmarks.inputs import Inputs
from benchmarks.record import Effort, Measured, Record
from benchmarks.tables import Table, milliseconds, number
from benchmarks.timing import in_turns, once
from holdfast import aggregators, stages
from holdfast.aggregators import CoordinateWise, NormWise, squared_distances
from holdfast.methods import tell
from holdfast.stages import Stage

THREADS = 1
M, D = 20, 1_000_000
READING, COPYING, DISTANCES = "reading the rows", "copying the rows", "pairwise distances"
ONE_BY_ONE = (CoordinateWise, NormWise, aggregators.MajorityVote, stages.Clipping, stages.Arc, stages.Bucketing)
"""Members that go through the numbers; all others go by distances."""
PATIENCE = 4.0
"""Seconds of processor time after which a peer is not waited for."""


def told_count(member: Any, m: int) -> int:
    """Return how many liars of m a member is told: as many as it bears, 40 % at most."""
    times, more = member.needs
    return min((m - more) // times, 2 * m // 5)


def members(m: int) -> dict[str, Any]:
    """Return every rule and stage, told as many Byzantine workers as it bears."""
    every = {**aggregators.REGISTRY, **stages.REGISTRY}
    return {name: tell(member(), told_count(member, m)) for name, member in every.items()}


def measure(effort: Effort) -> Record:
    given = Inputs.of(M, D)
    rows, copy = given.rows, np.zeros_like(given.rows)
    calls: dict[str, Callable[[], Any]] = {
        f"catalogue/{READING}": partial(read_once, rows),
        f"catalogue/{COPYING}": partial(np.copyto, copy, rows),
        f"catalogue/{DISTANCES}": partial(squared_distances, rows),
    }
    calls |= {f"catalogue/{name}": partial(member, rows) for name, member in members(M).items()}
    for call in calls.values():
        call()  # compiles
    record = Record(in_turns(calls, budget=2 if effort.quick else 10, least=5, clock=process_time))
    if effort.process == 1:  # peers take a hundred times as long: once is enough
        for library in PEERS:
            _measure_peer(record, library)
    return record


def _measure_peer(record: Record, library: str) -> None:
    try:
        contestant = import_module(f"benchmarks.contestants.{LIBRARIES[library]}")
    except ImportError as error:
        record.remarks[f"catalogue/missing/{library}"] = f"{library} is not measured: {error}"
        return
    for name, member in members(M).items():
        given = Inputs.of(M, D)  # some write into what they are given
        for place, call in enumerate(contestant.member(name, told_count(member, M), given)):
            where = f"catalogue/{name}/{library}/{place}"
            try:
                with _patience(PATIENCE):
                    first = once(call, process_time)[0]
                    again = [once(call, process_time)[0] for _ in range(2 if first < PATIENCE / 4 else 0)]
            except TimeoutError:
                record.remarks[where] = f"> {1000 * PATIENCE:.0f}"
                continue
            record.numbers[where] = median(again or [first])


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer."""

    def out_of_patience(number: int, frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, out_of_patience)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def tables(measured: Measured) -> list[Table]:
    reading, distances = f"catalogue/{READING}", f"catalogue/{DISTANCES}"
    if not measured.typical(reading):
        return []
    rows = [
        [
            floor,
            milliseconds(measured.typical(f"catalogue/{floor}")),
            number(measured.ratio(f"catalogue/{floor}", reading)),
        ]
        + 3 * [""]
        for floor in (READING, COPYING, DISTANCES)
    ]
    for name, member in members(M).items():
        where = f"catalogue/{name}"
        share = "" if isinstance(member, ONE_BY_ONE) else number(measured.ratio(where, distances))
        rows.append(
            [
                f"`{name}`" + (" (stage)" if isinstance(member, Stage) else ""),
                milliseconds(measured.typical(where)),
                number(measured.ratio(where, reading)),
                share,
                *_fastest_peer(measured, where),
            ]
        )
    header = ["member", "ms", "x reading", "x distances", "fastest peer, ms", "peer / ours"]
    missing = [text for name, text in measured.remarks.items() if name.startswith("catalogue/missing/")]
    return [
        Table(
            f"Rules and stages, m = {M}, d = {D:,}: milliseconds of processor time, one thread", header, rows, missing
        )
    ]


def _fastest_peer(measured: Measured, where: str) -> tuple[str, str]:
    fastest = measured.least([name for library in PEERS for name in measured.names(f"{where}/{library}/")])
    if fastest is None:
        late = [text for name, text in measured.remarks.items() if name.startswith(f"{where}/")]
        return (late[0], "-") if late else ("-", "-")
    library = fastest.removeprefix(f"{where}/").partition("/")[0]
    return f"{library} {milliseconds(measured.typical(fastest))}", number(measured.ratio(fastest, where))
