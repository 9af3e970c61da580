"""The search for step sizes, where the paper tunes them by hand: the same rule for every method.

Step sizes are tried on the grid 1, 2, 5 per decade. First whole decades, with few rounds and one seed:
where to look. Then the best of them and its neighbours on the grid, with all rounds and all seeds, going
on to either side until the best is no longer the last one tried there. Of those, the step size with the
best mean final test accuracy is chosen; of several within `TIE` of it, the smallest. Where all decades
are alike the step size does not matter, as when a method fails anyhow: the smallest, and no second pass.
Seeds of the search are none of the reported ones. A run that diverged counts 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from holdfast.errors import InvalidInput
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text
from holdfast.studies.paper.figures import Figure
from holdfast.studies.paper.rates import Rates, Searched, Trial, describe_setting
from holdfast.studies.study import Records

GRID = tuple(float(f"{digit}e{decade}") for decade in range(-7, 2) for digit in (1, 2, 5))
"""From 1e-7 to 50: wide enough that no method that learns has its optimum at an end."""
COARSE = tuple(range(GRID.index(1e-6), GRID.index(0.1) + 1, 3))
"""Where the whole decades from 1e-6 to 0.1 stand in the grid."""
TIE, COARSE_TIE = 0.0005, 0.005
"""Mean accuracies this near are equal: seeds differ by more, and so do numbers of rounds."""
SEEDS = (1000, 1001)
CRITERION = f"best mean final test accuracy over the seeds, 0 if diverged; within {TIE} of it the smallest rate"


def search(figures: Iterable[Figure], before: Rates, gather: Records, shorter: int = 5) -> Rates:
    """Return the rates before, with those of these figures searched again.

    The figures' specs must be without a rate where one is searched. `shorter` divides the rounds of the
    first pass.
    """
    specs = {
        describe_setting(curve.spec): drop_ignored(curve.spec)
        for each in figures
        if not each.timed  # its step sizes are those of the same-value attack; nothing is tuned for speed
        for curve in each.curves()
        if curve.searched
    }
    if not specs:
        raise InvalidInput("a search needs a figure whose step sizes are tuned; got none, or runtime alone")
    coarse = _accuracies(
        {name: replace(spec, rounds=max(spec.rounds // shorter, 1)) for name, spec in specs.items()},
        {name: set(COARSE) for name in specs},
        SEEDS[:1],
        gather,
    )
    wanted = {name: _around(_best(trials, COARSE_TIE)) for name, trials in coarse.items() if not _alike(trials)}
    fine: dict[str, dict[int, Trial]] = {name: {} for name in specs}
    while wanted:
        for name, trials in _accuracies(specs, wanted, SEEDS, gather).items():
            fine[name].update(trials)
        wanted = {name: beyond for name, trials in fine.items() if trials and (beyond := _beyond(trials))}
    found = {
        name: Searched(
            GRID[_best(fine[name], TIE) if fine[name] else _best(coarse[name], COARSE_TIE)],
            coarse=_list_in_order(coarse[name]),
            fine=_list_in_order(fine[name]),
        )
        for name in specs
    }
    rounds = max((spec.rounds for spec in specs.values()), default=before.rounds)
    return replace(
        before,
        data=next((data_text(spec.data) for spec in specs.values()), before.data),
        rounds=rounds,
        coarse_rounds=max(rounds // shorter, 1),
        seeds=SEEDS,
        criterion=CRITERION,
        settings={**before.settings, **found},
    )


def _accuracies(
    specs: Mapping[str, Spec], wanted: Mapping[str, set[int]], seeds: Sequence[int], gather: Records
) -> dict[str, dict[int, Trial]]:
    """Try places of the grid in each setting."""

    def trial(name: str, place: int, seed: int) -> Spec:
        spec = replace(specs[name], rate=GRID[place], seed=seed, eval_every=specs[name].rounds)
        return fill_defaults(spec)

    asked = [trial(name, place, seed) for name in wanted for place in sorted(wanted[name]) for seed in seeds]
    records = gather(asked)
    return {
        name: {
            place: Trial(GRID[place], tuple(records[trial(name, place, seed)].accuracy or 0.0 for seed in seeds))
            for place in sorted(places)
        }
        for name, places in wanted.items()
    }


def _around(place: int) -> set[int]:
    return {near for near in (place - 1, place, place + 1) if 0 <= near < len(GRID)}


def _best(trials: Mapping[int, Trial], tie: float) -> int:
    """Return the place of the best trial, or the smallest that is as good within the tie."""
    best = max(trial.mean for trial in trials.values())
    return min(place for place, trial in trials.items() if trial.mean >= best - tie)


def _alike(trials: Mapping[int, Trial]) -> bool:
    means = [trial.mean for trial in trials.values()]
    return max(means) - min(means) <= COARSE_TIE


def _beyond(trials: Mapping[int, Trial]) -> set[int]:
    """Return the neighbours of the very best place that were not tried yet."""
    return _around(_best(trials, tie=0.0)) - set(trials)


def _list_in_order(trials: Mapping[int, Trial]) -> tuple[Trial, ...]:
    return tuple(trials[place] for place in sorted(trials))
