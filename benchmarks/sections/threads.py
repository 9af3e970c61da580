"""The median of 100 messages on two threads."""

from concurrent.futures import ThreadPoolExecutor

from benchmarks.contestants import installed
from benchmarks.floors import read_in_threads, read_once
from benchmarks.inputs import Inputs
from benchmarks.record import Effort, Measured, Record
from benchmarks.sections.rules import best
from benchmarks.tables import Table, milliseconds, number
from benchmarks.timing import in_turns, once

THREADS = 2
M, D = 100, 1_000_000


def measure(effort: Effort) -> Record:
    given, libraries = Inputs.of(M, D), installed()[0]
    read_once(given.rows)
    (ours,) = libraries["ours"]["median"]
    ours.call(given)
    with ThreadPoolExecutor(THREADS) as pool:
        calls = {
            "threads/floor, two threads": lambda: read_in_threads(given.rows, pool, THREADS),
            "threads/floor, one thread": lambda: read_once(given.rows),
            "threads/ours": lambda: ours.call(given),
        }
        record = Record(in_turns(calls, budget=1.5))
    for way in [] if effort.quick else libraries.get("ByzFL", {}).get("median", []):
        # the first of two calls may meet memory that the machine never touched before
        record.numbers[f"threads/ByzFL: {way.label}"] = [once(lambda way=way: way.call(given))[0] for _ in range(2)][1]
    return record


def tables(measured: Measured) -> list[Table]:
    ours, peer = "threads/ours", best(measured, "threads", "ByzFL")
    if ours not in measured.numbers:
        return []
    floors = ("threads/floor, two threads", "threads/floor, one thread")
    return [
        Table(
            f"Median, m = {M}, d = {D:,}: milliseconds, two threads",
            ["", "ms", "ours is"],
            [
                ["ours", milliseconds(measured.typical(ours)), ""],
                *(
                    [
                        floor.partition("/")[2],
                        milliseconds(measured.typical(floor)),
                        f"{number(measured.ratio(ours, floor))} times it",
                    ]
                    for floor in floors
                ),
                [
                    "ByzFL (fastest input)",
                    milliseconds(measured.typical(peer)),
                    f"{number(measured.ratio(peer, ours))} times faster",
                ],
            ],
        )
    ]
