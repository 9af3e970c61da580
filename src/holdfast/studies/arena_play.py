"""An arena played: what can be told without a run first, then all runs over the cores; a failure is one cell's."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from holdfast.data import Partition
from holdfast.errors import in_one_line
from holdfast.methods import Method
from holdfast.runs.composition import check
from holdfast.runs.plan import canonical, resolved
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.studies.arena import Arena, Bout, Task
from holdfast.studies.auto_numbers import NumbersKeeper, find_numbers, problem_of, question_of, with_numbers
from holdfast.studies.leaderboard import BoutResult
from holdfast.studies.study import Arrived, Keeper, gather, require_jobs

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
    numbers: NumbersKeeper | None = None,
) -> list[BoutResult]:
    """Return every cell, in the order of the bouts. What is in the store already is not run again.

    `factors` are what a method's step size is multiplied by. `numbers` keeps what the rule found, as the store runs.
    """

    def drafts(bout: Bout) -> list[Draft]:
        factor = (factors or {}).get(place_of(bout), 1.0)
        return [Draft(spec, factor) for spec in arena.specs(bout)]

    return gathered(arena.bouts(), drafts, jobs, store, telling, numbers)


def place_of(bout: Bout) -> Place:
    """Return where a bout's method has its step size: it is one for all attacks and numbers of Byzantine workers."""
    return bout.condition.task, bout.condition.partition, bout.method


def gathered(
    bouts: Sequence[Bout],
    drafts: Callable[[Bout], list[Draft]],
    jobs: int | None,
    store: Keeper | None,
    telling: Telling,
    numbers: NumbersKeeper | None = None,
) -> list[BoutResult]:
    """Return one cell per bout, of its runs.

    What shares a task, a partition and a seed is prepared and run together: its problem is then built, and asked for
    numbers, once.
    """
    require_jobs(jobs)
    asked = {bout: drafts(bout) for bout in bouts}
    different = dict.fromkeys(chain.from_iterable(asked.values()))
    ready, failures = _prepared(sorted(different, key=lambda draft: problem_of(draft.spec)), jobs, numbers)
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


def _prepared(
    drafts: Sequence[Draft], jobs: int | None, kept: NumbersKeeper | None
) -> tuple[dict[Draft, Spec], dict[Draft, str]]:
    """Return the runs that can be made of drafts, with every number filled in, and why the others cannot."""
    plain: dict[Draft, tuple[Spec, Spec | None]] = {}
    ready: dict[Draft, Spec] = {}
    failures: dict[Draft, str] = {}
    for draft in drafts:
        with _failing(draft, failures):
            spec = canonical(resolved(draft.spec))
            plain[draft] = spec, question_of(spec)
    answers = find_numbers((question for _, question in plain.values() if question), jobs, kept)
    for draft, (spec, question) in plain.items():
        answer = answers[question] if question else None
        if isinstance(answer, str):
            failures[draft] = answer
            continue
        with _failing(draft, failures):
            ready[draft] = _runnable(spec if answer is None else with_numbers(spec, answer), draft.factor)
    return ready, failures


@contextmanager
def _failing(draft: Draft, failures: dict[Draft, str]) -> Iterator[None]:
    """Let what goes wrong with a draft, as parts from outside may, be its failure."""
    try:
        yield
    except Exception as error:
        failures[draft] = in_one_line(error)


def _runnable(spec: Spec, factor: float = 1.0) -> Spec:
    """Return a spec with numbers, if it can work, and its step size times a factor."""
    if factor != 1:
        spec = replace(spec, rate=float(f"{require_number(spec.rate) * factor:.3g}"))
    check(spec)
    return spec


def choose_factors(
    arena: Arena,
    factors: tuple[float, ...],
    held_out: Callable[[Spec], Spec],
    jobs: int | None,
    store: Keeper,
    telling: Telling,
    numbers: NumbersKeeper | None = None,
) -> dict[Place, float]:
    """Return for every task, partition and method the factor with the best worst case over the attacks.

    `held_out` returns a spec on data whose test samples were held back from training. The seed is one that the
    arena does not play, and as many workers are Byzantine as in its hardest condition. Every method has the same
    number of tries, and lambda stays the rule's.
    """
    seed = max(arena.seeds) + 1
    trying = replace(arena, seeds=(seed,))
    most = max(arena.counts)
    bouts = [bout for bout in trying.bouts() if (bout.condition.byzantine, bout.condition.declared) == most]

    def drafts(bout: Bout) -> list[Draft]:
        (spec,) = trying.specs(bout)
        return [Draft(held_out(spec), factor) for factor in factors]

    worst: dict[Place, list[float]] = {}
    for cell in gathered(bouts, drafts, jobs, store, telling, numbers):
        if cell.failure is None:
            place = place_of(cell.bout)
            ends = [record.accuracy or 0.0 for record in cell.records]
            worst[place] = [*map(min, worst.get(place, ends), ends)]
    return {place: factors[ends.index(max(ends))] for place, ends in worst.items()}
