"""How long each method's steps are: a multiple of the rule's, chosen on samples held back from training."""

from dataclasses import replace

from holdfast.arena.plan import Arena, Bout
from holdfast.arena.playing import Draft, Telling, gathered
from holdfast.data import Partition
from holdfast.experiments.spec import Spec
from holdfast.experiments.store import Store
from holdfast.methods import Method


def choose_factors(
    arena: Arena, factors: tuple[float, ...], held_out: Spec, jobs: int | None, store: Store, telling: Telling
) -> dict[tuple[Method, Partition], float]:
    """Return for every method and partition the factor with the best worst case over the attacks.

    `held_out` is the arena's base on data whose test samples were held back from training. The seed is one that the
    arena does not play, and as many workers are Byzantine as in its hardest condition. Every method has the same
    number of tries, and lambda stays the rule's.
    """
    seed = max(arena.seeds) + 1
    trying = replace(arena, base=held_out, seeds=(seed,))
    most = max(arena.counts)
    bouts = [bout for bout in trying.bouts() if bout.condition[1:] == most]

    def drafts(bout: Bout) -> list[Draft]:
        (spec,) = trying.specs(bout)
        return [Draft(spec, factor) for factor in factors]

    worst: dict[tuple[Method, Partition], list[float]] = {}
    for cell in gathered(bouts, drafts, jobs, store, telling):
        if cell.failure is None:
            place = cell.bout.method, cell.bout.condition.partition
            ends = [record.accuracy or 0.0 for record in cell.records]
            worst[place] = [*map(min, worst.get(place, ends), ends)]
    return {place: factors[ends.index(max(ends))] for place, ends in worst.items()}
