"""How the cost of our rules grows with the number of messages and with their length. One thread."""

import numpy as np

from benchmarks.contestants import RULES
from benchmarks.contestants import with_holdfast as ours
from benchmarks.inputs import Inputs
from benchmarks.record import Effort, Measured, Record
from benchmarks.tables import Table, milliseconds
from benchmarks.timing import typical

THREADS = 1
MESSAGES, AT_LENGTH = (5, 10, 20, 32, 50, 100), 100_000
LENGTHS, AT_MESSAGES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000), 20


def measure(effort: Effort) -> Record:
    record = Record()
    every = 2 if effort.quick else 1
    for m in MESSAGES[::every]:
        _measure(record, f"growth/m/{m}", Inputs.of(m, AT_LENGTH), 0.05 if effort.quick else 0.1)
    for d in LENGTHS[::every]:
        _measure(record, f"growth/d/{d}", Inputs.of(AT_MESSAGES, d), 0.05 if effort.quick else 0.1)
    return record


def _measure(record: Record, where: str, given: Inputs, budget: float) -> None:
    for rule in RULES:
        (way,) = ours.RULES[rule]
        way.call(given)
        record.numbers[f"{where}/{rule}"] = typical(lambda way=way: way.call(given), budget)


def tables(measured: Measured) -> list[Table]:
    made = []
    for axis, points, title in (
        ("m", MESSAGES, f"Cost against m at d = {AT_LENGTH:,}: milliseconds of our rules, one thread"),
        ("d", LENGTHS, f"Cost against d at m = {AT_MESSAGES}: milliseconds of our rules, one thread"),
    ):
        there = [point for point in points if measured.names(f"growth/{axis}/{point}/")]
        if there:
            made.append(_table(measured, axis, there, title))
    return made


def _table(measured: Measured, axis: str, points: list[int], title: str) -> Table:
    rows = []
    for rule in RULES:
        times = [measured.typical(f"growth/{axis}/{point}/{rule}") or np.nan for point in points]
        exponent = np.polyfit(np.log(points), np.log(times), 1)[0]
        rows.append([rule, *map(milliseconds, times), f"{exponent:.2f}"])
    return Table(title, ["rule", *(f"{axis} = {point:,}" for point in points), "exponent"], rows)
