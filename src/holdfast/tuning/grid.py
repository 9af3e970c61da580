"""What is tried: log grids around the rule of docs/automatic.md, so that they are where the data are."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import inf
from typing import Literal

from holdfast.errors import InvalidInput
from holdfast.experiments.automatic import settled
from holdfast.experiments.comparison import essence
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import AUTO, Spec, number

Value = float | Literal["auto"] | None
RATIO = 10**0.5
"""Between neighbours on a grid: two to a decade."""


def candidates(base: Spec, norms: Sequence[float], points: int) -> list[Spec]:
    """Return one resolved spec for each norm, lambda and alpha; those nearest to the centre come first.

    The centre of a norm is what `--penalty auto --rate auto` would take, or the numbers that the base gives. From
    there (points - 1) / 2 values to either side, each RATIO apart. Methods without a penalty have rates only.
    """
    if points < 1 or points % 2 == 0:
        raise InvalidInput(f"points must be odd, so that the rule's values are the middle; got {points}")
    if base.problem == "least-squares":
        raise InvalidInput(f"tuning goes by accuracy and needs classes; got problem={base.problem}")
    if base.penalty not in (None, AUTO) and len(norms) > 1:
        raise InvalidInput(f"a penalty is the centre for one norm; got {len(norms)} norms, penalty={base.penalty}")
    auto = replace(base, penalty=_centre("penalty", base.penalty), rate=_centre("rate", base.rate))
    centres = [settled(essence(resolved(replace(auto, norm=norm)))) for norm in norms]
    steps = range(-(points // 2), points // 2 + 1)
    pulls = steps if base.recipe.penalised else [0]
    by_distance = sorted(product(pulls, steps), key=lambda place: abs(place[0]) + abs(place[1]))
    return [
        replace(centre, penalty=_moved(centre.penalty, pull), rate=_moved(centre.rate, step))
        for pull, step in by_distance
        for centre in centres
    ]


def _centre(name: str, given: Value) -> Value:
    if given is not None and given != AUTO and not 0 < number(given) < inf:
        raise InvalidInput(f"{name} as the centre of a log grid must be greater than 0 and finite; got {given}")
    return AUTO if given is None else given


def _moved(centre: Value, steps: int) -> float:
    """Return the value so many steps away, to three significant digits as the rule has them."""
    return float(f"{number(centre) * RATIO**steps:.3g}")
