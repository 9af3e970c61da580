"""An arena played: what can be told without a run first, then all runs over the cores; a failure is one cell's."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import NamedTuple

from holdfast.aggregators import Mean
from holdfast.arena.plan import Arena, Bout, Task
from holdfast.arena.scores import BoutResult
from holdfast.data import Partition
from holdfast.errors import InvalidInput
from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.defaults import canonical, resolved
from holdfast.experiments.gathering import Arrived, Keeper, gather
from holdfast.experiments.given import data_text, model_text, require_number
from holdfast.experiments.parts import check
from holdfast.experiments.spec import Spec
from holdfast.methods import Aggregated, Method

Place = tuple[Task, Partition, Method]
"""Where a method has one step size."""
Telling = Callable[[Sequence[Spec]], AbstractContextManager[Arrived]]
"""Given the runs that there will be, whom to tell each of them."""


class Draft(NamedTuple):
    """A run as an arena asks for it, its numbers left to the rule; the step size found is multiplied by `factor`."""

    spec: Spec
    factor: float = 1.0


def play_arena(
    arena: Arena,
    jobs: int | None,
    store: Keeper | None,
    telling: Telling,
    factors: Mapping[Place, float] | None = None,
) -> list[BoutResult]:
    """Return every cell, in the order of the bouts. What is in the store already is not run again.

    `factors` are what a method's step size is multiplied by.
    """

    def drafts(bout: Bout) -> list[Draft]:
        factor = (factors or {}).get(place_of(bout), 1.0)
        return [Draft(spec, factor) for spec in arena.specs(bout)]

    return gathered(arena.bouts(), drafts, jobs, store, telling)


def place_of(bout: Bout) -> Place:
    """Return where a bout's method has its step size: it is one for all attacks and numbers of Byzantine workers."""
    return bout.condition.task, bout.condition.partition, bout.method


def gathered(
    bouts: Sequence[Bout],
    drafts: Callable[[Bout], list[Draft]],
    jobs: int | None,
    store: Keeper | None,
    telling: Telling,
) -> list[BoutResult]:
    """Return one cell per bout, of its runs.

    What shares a task, a partition and a seed is prepared and run together: its problem is then built, and asked for
    numbers, once.
    """
    asked = {bout: drafts(bout) for bout in bouts}
    ready: dict[Draft, Spec] = {}
    failures: dict[Draft, str] = {}
    for draft in sorted(dict.fromkeys(chain.from_iterable(asked.values())), key=_problem):
        try:
            ready[draft] = runnable(*draft)
        except InvalidInput as error:
            failures[draft] = str(error)
        except Exception as error:  # a part from outside, which step sizes by rule ask too
            failures[draft] = " ".join(f"{type(error).__name__}: {error}".split())
    played = {draft for each in asked.values() if not failures.keys() & set(each) for draft in each}
    wanted = list(dict.fromkeys(spec for draft, spec in ready.items() if draft in played))
    failed: dict[Spec, str] = {}

    with telling(wanted) as arrived:
        records = gather(wanted, jobs, store, arrived, failed=failed.__setitem__)

    def cell(bout: Bout) -> BoutResult:
        for draft in asked[bout]:
            if why := failures.get(draft) or failed.get(ready[draft]):
                return BoutResult(bout, failure=why)
        return BoutResult(bout, tuple(records[ready[draft]] for draft in asked[bout]))

    return [cell(bout) for bout in bouts]


def _problem(draft: Draft) -> tuple[str | int, ...]:
    spec = draft.spec
    missing = spec.q if spec.dealt == "honest" else 0
    return data_text(spec.data), model_text(spec.model), spec.partition_text, spec.workers, missing, spec.seed


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
