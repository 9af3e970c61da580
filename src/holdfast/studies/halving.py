"""What is tried: log grids around the rule of docs/automatic.md, which finds the centre from the data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, inf
from typing import Literal, NamedTuple

from holdfast.errors import InvalidInput
from holdfast.methods import AUTO, Rsa
from holdfast.problems import is_problem
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import problem_text, require_number
from holdfast.runs.verdicts import Score, spec_score
from holdfast.studies.study import Records

Value = float | Literal["auto"] | None
RATIO = 10**0.5
"""Between neighbours on a grid: two per decade."""


def candidates(base: Spec, norms: Sequence[float], points: int) -> list[Spec]:
    """Return one resolved spec for each norm, lambda and alpha; those nearest to the centre come first.

    The centre of a norm is what `auto` would take for its lambda and alpha, or the numbers that the base gives. From
    there (points - 1) / 2 values to either side, each RATIO apart. Methods other than RSA have rates only.
    """
    if points < 1 or points % 2 == 0:
        raise InvalidInput(f"points must be odd, so that the rule's values are the middle; got {points}")
    if is_problem(base.problem):  # no samples can be held back
        raise InvalidInput(f"tune holds data back and needs a problem made of them; got {problem_text(base.problem)}")
    auto, method = replace(base, rate=_centre("rate", base.rate)), base.method
    bases, pulls, steps = [auto], range(1), range(-(points // 2), points // 2 + 1)
    if isinstance(method, Rsa):
        if method.penalty != AUTO and len(norms) > 1:
            raise InvalidInput(
                f"a penalty is the centre for one norm; got {len(norms)} norms, penalty={method.penalty}"
            )
        _centre("penalty", method.penalty)
        bases, pulls = [replace(auto, method=replace(method, norm=norm)) for norm in norms], steps
    centres = [resolve_auto(drop_ignored(fill_defaults(each))) for each in bases]
    by_distance = sorted(product(pulls, steps), key=lambda place: abs(place[0]) + abs(place[1]))
    return [_move(centre, pull, step) for pull, step in by_distance for centre in centres]


def _centre(name: str, given: Value) -> Value:
    if given is not None and given != AUTO and not 0 < require_number(given) < inf:
        raise InvalidInput(f"{name} as the centre of a log grid must be greater than 0 and finite; got {given}")
    return AUTO if given is None else given


def _move(centre: Spec, pull: int, step: int) -> Spec:
    """Return the candidate so many steps of lambda and of alpha away from the centre."""
    spec = replace(centre, rate=_times(centre.rate, step))
    if not isinstance(spec.method, Rsa):
        return spec
    return replace(spec, method=replace(spec.method, penalty=_times(spec.method.penalty, pull)))


def _times(centre: Value, steps: int) -> float:
    """Return the value so many steps away, to three significant digits as the rule has them."""
    return float(f"{require_number(centre) * RATIO**steps:.3g}")


FACTOR = 3
"""One candidate in three stays, with three times the rounds."""


class Trial(NamedTuple):
    """A candidate, and how its model did on the validation samples."""

    spec: Spec
    value: float | None
    """The score of the problem; None if it diverged."""
    loss: float | None = None
    """On the workers' samples; decides between equal scores."""

    def rank(self, score: Score) -> tuple[float, float]:
        """Return what is smaller for better trials."""
        return -score.goodness(self.value), inf if self.loss is None else self.loss


@dataclass(frozen=True)
class Rung:
    """All trials with one number of rounds, the best first."""

    rounds: int
    trials: tuple[Trial, ...]


def list_rounds(full: int, rungs: int) -> list[int]:
    """Return the rounds of every rung.

    >>> list_rounds(5000, rungs=3)
    [555, 1666, 5000]
    """
    if rungs < 1:
        raise InvalidInput(f"rungs must be at least 1; got {rungs}")
    return [max(full // FACTOR**left, 1) for left in reversed(range(rungs))]


def halve(candidates: Sequence[Spec], rungs: int, gather: Records) -> list[Rung]:
    """Return every rung; the first trial of the last one won.

    Of equal scores the lower loss is better; where that is equal too, the one that ranked higher before stays.
    """
    score = spec_score(candidates[0])
    left, climbed = list(candidates), []
    for rounds in list_rounds(candidates[0].rounds, rungs):
        asked = [replace(spec, rounds=rounds, eval_every=rounds) for spec in left]
        records = gather(asked)
        trials = [_trial(spec, records[spec], score) for spec in asked]
        ranked = sorted(zip(left, trials, strict=True), key=lambda pair: pair[1].rank(score))  # stable
        climbed.append(Rung(rounds, tuple(trial for _, trial in ranked)))
        left = [spec for spec, _ in ranked[: ceil(len(ranked) / FACTOR)]]
    if climbed[-1].trials[0].value in (None, 0.0):
        raise InvalidInput("tuning needs a candidate that learns; got models that diverged or got nothing right")
    return climbed


def _trial(spec: Spec, record: Record, score: Score) -> Trial:
    return Trial(spec, score.of(record.last), record.last.loss if record.last else None)
