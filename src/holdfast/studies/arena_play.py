"""The preset `arena`: every method under every attack; a run that fails is one cell's failure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from holdfast.data import Partition
from holdfast.methods import Method
from holdfast.runs.spec import Spec
from holdfast.studies.arena_plan import Arena, Bout, Task
from holdfast.studies.leaderboard import BoutResult
from holdfast.studies.study import Draft, Study

Place = tuple[Task, Partition, Method]
"""Where a method has one step size: the same for all attacks and numbers of Byzantine workers."""


def locate_bout(bout: Bout) -> Place:
    """Return where a bout's method has its step size."""
    return bout.condition.task, bout.condition.partition, bout.method


def play_arena(arena: Arena, study: Study, factors: Mapping[Place, float] | None = None) -> list[BoutResult]:
    """Return every cell, in the order of the bouts; a method's step size is multiplied by its factor."""

    def draft(bout: Bout) -> list[Draft]:
        factor = (factors or {}).get(locate_bout(bout), 1.0)
        return [Draft(spec, factor) for spec in arena.specs(bout)]

    return _play_bouts(arena.bouts(), draft, study)


def choose_factors(
    arena: Arena, factors: tuple[float, ...], held_out: Callable[[Spec], Spec], study: Study
) -> dict[Place, float]:
    """Return for every task, partition and method the factor with the best worst case over the attacks.

    `held_out` returns a spec on data whose test samples were held back from training. The seed is one that the
    arena does not play, and as many workers are Byzantine as in its hardest condition. Every method has the same
    number of tries, and lambda stays the rule's.
    """
    trying = replace(arena, seeds=(max(arena.seeds) + 1,))
    most = max(arena.counts)
    bouts = [bout for bout in trying.bouts() if (bout.condition.byzantine, bout.condition.declared) == most]

    def draft(bout: Bout) -> list[Draft]:
        (spec,) = trying.specs(bout)
        return [Draft(held_out(spec), factor) for factor in factors]

    worst: dict[Place, list[float]] = {}
    for cell in _play_bouts(bouts, draft, study):
        if cell.failure is None:
            place = locate_bout(cell.bout)
            ends = cell.by_seed
            worst[place] = [*map(min, worst.get(place, ends), ends)]
    return {place: factors[ends.index(max(ends))] for place, ends in worst.items()}


def _play_bouts(bouts: Sequence[Bout], draft: Callable[[Bout], list[Draft]], study: Study) -> list[BoutResult]:
    drafts = {bout: draft(bout) for bout in bouts}
    records = study.play((each for several in drafts.values() for each in several), tolerant=True)
    return [BoutResult.of(bout, [records[each] for each in drafts[bout]]) for bout in bouts]
