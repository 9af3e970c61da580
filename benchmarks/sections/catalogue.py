"""Every rule and stage of ours against reading the messages, or the pairwise distances it goes by. One thread."""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.floors import read_once
from benchmarks.inputs import Inputs
from benchmarks.record import Effort, Measured, Record
from benchmarks.tables import Table, milliseconds, number
from benchmarks.timing import in_turns
from holdfast import aggregators, stages
from holdfast.aggregators import CoordinateWise, NormWise, squared_distances
from holdfast.methods.aggregated import told

THREADS = 1
M, D = 20, 1_000_000
READING, DISTANCES = "reading the rows", "pairwise distances"
ONE_BY_ONE = (CoordinateWise, NormWise, aggregators.MajorityVote)
"""Rules that go through the numbers; all others go by distances."""


def members(m: int) -> dict[str, Any]:
    """Return every rule and stage, told as many Byzantine workers as it bears, 40 % at most."""
    made = {}
    for name, member in {**aggregators.REGISTRY, **stages.REGISTRY}.items():
        times, more = member.needs
        made[name] = told(member(), min((m - more) // times, 2 * m // 5))
    return made


def measure(effort: Effort) -> Record:
    rows = Inputs.of(M, D).rows
    calls: dict[str, Callable[[], Any]] = {
        f"catalogue/{READING}": partial(read_once, rows),
        f"catalogue/{DISTANCES}": partial(squared_distances, rows),
    }
    calls |= {f"catalogue/{name}": partial(member, rows) for name, member in members(M).items()}
    for call in calls.values():
        call()  # compiles
    return Record(in_turns(calls, budget=2 if effort.quick else 10, least=5))


def tables(measured: Measured) -> list[Table]:
    reading, distances = f"catalogue/{READING}", f"catalogue/{DISTANCES}"
    rows = [[READING, milliseconds(measured.typical(reading)), "1.00", ""]]
    rows += [[DISTANCES, milliseconds(measured.typical(distances)), number(measured.ratio(distances, reading)), "1.00"]]
    for name, member in members(M).items():
        where = f"catalogue/{name}"
        by_distance = not isinstance(member, (*ONE_BY_ONE, stages.Clipping, stages.Arc, stages.Bucketing))
        share = number(measured.ratio(where, distances)) if by_distance else ""
        rows.append([str(member), milliseconds(measured.typical(where)), number(measured.ratio(where, reading)), share])
    title = f"Rules and stages, m = {M}, d = {D:,}: milliseconds, one thread"
    return [Table(title, ["member", "ms", "x reading", "x distances"], rows)] if measured.typical(reading) else []
