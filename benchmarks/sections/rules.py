"""One aggregation of m messages of d numbers, by everyone who offers the rule. One thread."""

from collections.abc import Callable
from functools import partial
from math import inf
from statistics import median
from typing import Any

import numpy as np

from benchmarks.contestants import LIBRARIES, PEERS, RULES, Way, installed
from benchmarks.floors import read_once
from benchmarks.inputs import Inputs
from benchmarks.record import Effort, Measured, Record
from benchmarks.tables import Table, milliseconds, number
from benchmarks.timing import in_turns, once, typical

THREADS = 1
SIZES = ((20, 7850), (20, 1_000_000), (100, 1_000_000), (20, 10_000_000))
TOLERANCE = {"mean": 1e-6, "l2 pull": 1e-5, "median": 1e-6, "trimmed mean": 1e-6, "geometric median": 1e-5}
"""How far a result may be from NumPy's, relative to its largest entry; elsewhere it must be equal."""
PATIENCE, PATIENCE_AT_FIRST = 1.0, 4.0
"""Seconds; a call that would take longer is left out. The first process has more, and all for NumPy, the reference."""
LONG, FAST = 0.3, 0.05
"""Seconds; a longer call is made twice only, a shorter one in turns with the others."""
CACHE = 8 << 20
"""Bytes; smaller messages are in the cache when a rule gets them, as they are in a training loop."""


class Disagreement(Exception):
    """A contestant computes something else than it says."""


def place(m: int, d: int, rule: str) -> str:
    return f"rules/{m}x{d}/{rule}"


def measure(effort: Effort) -> Record:
    record = Record()
    libraries, missing = installed()
    patience = dict.fromkeys(LIBRARIES, PATIENCE) | {"ours": inf}
    if effort.process == 1:
        patience = dict.fromkeys(LIBRARIES, PATIENCE if effort.quick else PATIENCE_AT_FIRST) | {
            "ours": inf,
            "NumPy": inf,
        }
    record.remarks |= {f"rules/missing/{library}": remark for library, remark in missing.items()}
    for m, d in SIZES[:2] if effort.quick else SIZES:
        given = Inputs.of(m, d)
        read_once(given.rows)
        for rule in RULES:
            _measure_rule(record, libraries, given, rule, patience)
        (count,) = libraries["ours"]["counting bits"]  # 32 times smaller than the other messages: may be in the cache
        record.numbers[f"{place(m, d, 'counting bits')}/again and again"] = typical(partial(count.call, given))
    return record


def _measure_rule(
    record: Record, libraries: dict[str, dict[str, list[Way]]], given: Inputs, rule: str, patience: dict[str, float]
) -> None:
    """Check every way, time the slow ones as they come, and the fast ones in turns with the floor."""
    where = place(*given.rows.shape, rule)
    fast: dict[str, Callable[[], Any]] = {f"{where}/floor": lambda: read_once(given.rows)}
    reference = None
    for library, way in ((library, way) for library, rules in libraries.items() for way in rules.get(rule, [])):
        name = f"{where}/{library}" + (f": {way.label}" if way.label else "")
        call = partial(way.call, given)
        expected = _expected(way, given) if patience[library] < inf else 0.0
        if expected > patience[library]:
            record.remarks[name] = f"skipped: would take about {expected:.0f} s"
            continue
        try:
            seconds, result = once(call)
        except (RuntimeError, ValueError) as error:
            record.remarks[name] = f"fails: {error}"
            continue
        found = way.read(given, result)
        reference = found if reference is None else reference
        remark = _checked(name, way, found, reference, TOLERANCE.get(rule, 0.0))
        if remark:
            record.remarks[name] = remark
        del result, found
        if library == "ours" or seconds < FAST:  # our first call compiles
            fast[name] = call
        else:
            again = 0 if seconds > PATIENCE else 1 if seconds > LONG else 3
            record.numbers[name] = median([once(call)[0] for _ in range(again)] or [seconds])
    record.numbers |= in_turns(fast, budget=0.6, least=5, warm=given.rows.nbytes < CACHE)


def _expected(way: Way, given: Inputs) -> float:
    """Guess how long a call takes, from some of the columns."""
    sample = given.sample
    try:
        seconds = min(once(lambda: way.call(sample))[0] for _ in range(2))
    except (RuntimeError, ValueError):
        return 0.0
    return seconds * given.rows.size / sample.rows.size


def _checked(name: str, way: Way, found: np.ndarray, reference: np.ndarray, tolerance: float) -> str:
    """Return what there is to say about the result; raise if it is not the rule's and does not say so."""
    if found.shape != reference.shape:
        raise Disagreement(f"{name}: shape {found.shape} instead of {reference.shape}")
    if reference.dtype == np.uint8:
        apart = float((found != reference).any())
    else:
        apart = float(np.abs(found - reference).max() / np.abs(reference).max())
    if way.differs:
        return f"{way.differs} (here {'the same result' if apart <= tolerance else f'{apart:.1g} apart'})"
    if not apart <= tolerance:
        raise Disagreement(f"{name}: {apart:.2g} from NumPy's result, more than {tolerance:g}")
    return ""


def best(measured: Measured, where: str, *libraries: str) -> str | None:
    """Return the name of these libraries' fastest way."""
    ways = [name for library in libraries for name in measured.names(f"{where}/{library}")]
    return measured.least(ways)


def tables(measured: Measured) -> list[Table]:
    sizes = [(m, d) for m, d in SIZES if measured.names(f"rules/{m}x{d}/")]
    return [_table(measured, m, d) for m, d in sizes]


def _table(measured: Measured, m: int, d: int) -> Table:
    columns = [library for library in LIBRARIES if library != "ours"]
    rows, notes = [], {}
    for rule in RULES:
        where = place(m, d, rule)
        cells = []
        for library in columns:
            fastest = best(measured, where, library)
            cell = milliseconds(measured.typical(fastest)) if fastest else "-"
            if fastest in measured.remarks:
                notes.setdefault(f"{library}'s {rule} {measured.remarks[fastest]}", len(notes) + 1)
                cell += " *"
            cells.append(cell if fastest else _absent(measured, where, library))
        ours = f"{where}/ours"
        peer = best(measured, where, *PEERS)
        rows.append(
            [
                rule,
                milliseconds(measured.typical(f"{where}/floor")),
                milliseconds(measured.typical(ours)),
                "-" if rule == "counting bits" else number(measured.ratio(ours, f"{where}/floor")),
                *cells,
                number(measured.ratio(best(measured, where, "NumPy"), ours)),
                number(measured.ratio(peer, ours)),
            ]
        )
    return Table(
        f"m = {m}, d = {d:,}: milliseconds, one thread",
        ["rule", "floor", "ours", "x floor", *columns, "NumPy / ours", "best peer / ours"],
        rows,
        [f"* {note}" for note in notes] + [text for name, text in measured.remarks.items() if "missing/" in name],
    )


def _absent(measured: Measured, where: str, library: str) -> str:
    remarks = [text for name, text in measured.remarks.items() if name.startswith(f"{where}/{library}")]
    return remarks[0].partition(":")[0] if remarks else "-"
