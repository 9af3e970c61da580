"""How long each method's steps are: a multiple of the rule's, chosen on samples held back from training."""

from collections.abc import Callable
from dataclasses import replace

from holdfast.arena.numbers import NumbersKeeper
from holdfast.arena.plan import Arena, Bout
from holdfast.arena.playing import Draft, Place, Telling, gathered, place_of
from holdfast.experiments.gathering import Keeper
from holdfast.experiments.spec import Spec


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
