"""An arena played: what can be told without a run first, then all runs over the cores; a failure is one cell's."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache

from holdfast.aggregators import Mean
from holdfast.arena.plan import Arena, Bout
from holdfast.arena.scores import BoutResult
from holdfast.data import Partition
from holdfast.errors import InvalidInput
from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.defaults import canonical, resolved
from holdfast.experiments.gathering import Arrived, Keeper, gather
from holdfast.experiments.given import require_number
from holdfast.experiments.parts import check
from holdfast.experiments.records import Record
from holdfast.experiments.spec import Spec
from holdfast.methods import Aggregated, Method

Telling = Callable[[Sequence[Spec]], AbstractContextManager[Arrived]]
"""Given the runs that there will be, whom to tell each of them."""


def play_arena(
    arena: Arena,
    jobs: int | None,
    store: Keeper | None,
    telling: Telling,
    factors: Mapping[tuple[Method, Partition], float] | None = None,
) -> list[BoutResult]:
    """Return every cell, in the order of the bouts. What is in the store already is not run again.

    `factors` are what a method's step size on a partition is multiplied by.
    """

    def specs(bout: Bout) -> list[Spec]:
        factor = (factors or {}).get((bout.method, bout.condition.partition), 1.0)
        return [runnable(spec, factor) for spec in arena.specs(bout)]

    return gathered(arena.bouts(), specs, jobs, store, telling)


def gathered(
    bouts: Sequence[Bout], specs: Callable[[Bout], list[Spec]], jobs: int | None, store: Keeper | None, telling: Telling
) -> list[BoutResult]:
    """Return one cell per bout, of its runs."""
    ready: dict[Bout, list[Spec]] = {}
    failures: dict[Bout, str] = {}
    for bout in bouts:
        try:
            ready[bout] = specs(bout)
        except InvalidInput as error:
            failures[bout] = str(error)
        except Exception as error:  # a part from outside, which step sizes by rule ask too
            failures[bout] = " ".join(f"{type(error).__name__}: {error}".split())
    wanted = list(dict.fromkeys(spec for each in ready.values() for spec in each))
    failed: dict[Spec, str] = {}

    with telling(wanted) as arrived:
        records = gather(wanted, jobs, store, arrived, failed=failed.__setitem__)
    return [_cell(bout, ready.get(bout, []), records, failures.get(bout), failed) for bout in bouts]


def _cell(
    bout: Bout, specs: list[Spec], records: Mapping[Spec, Record], failure: str | None, failed: Mapping[Spec, str]
) -> BoutResult:
    reasons = [failure] if failure else [failed[spec] for spec in specs if spec in failed]
    return BoutResult(bout, failure=reasons[0]) if reasons else BoutResult(bout, tuple(records[spec] for spec in specs))


def runnable(spec: Spec, factor: float = 1.0) -> Spec:
    """Return the spec with every number filled in, if it can work, and its step size times a factor."""
    ready = canonical(resolved(spec))
    if ready.method.penalised:
        ready = _found(ready)
    elif ready.rate == "auto":
        # the rate by rule is the same for all of them, so that it is found once
        alike = replace(ready, method=Aggregated(Mean()), declared=0, momentum=0.0)
        ready = replace(ready, rate=_found(alike).rate)
    if factor != 1:
        ready = replace(ready, rate=float(f"{require_number(ready.rate) * factor:.3g}"))
    check(ready)
    return ready


_found = cache(resolve_auto)
