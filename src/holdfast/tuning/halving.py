"""Successive halving (Jamieson and Talwalkar, 2016): many candidates for few rounds, the best of them for more.

Here two thirds are dropped after every rung, as Hyperband (Li et al., 2018) advises. Each rung runs its candidates
from the start, with three times the rounds of the rung before, so that all rungs cost about the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import NamedTuple

from holdfast.errors import InvalidInput
from holdfast.experiments.gathering import Gather
from holdfast.experiments.records import Record
from holdfast.experiments.scores import Score, spec_score
from holdfast.experiments.spec import Spec

FACTOR = 3
"""One candidate in three stays, with three times the rounds."""


class Trial(NamedTuple):
    """A candidate, and how its model did on the validation samples."""

    spec: Spec
    value: float | None
    """The score of the problem; None if it diverged."""
    loss: float | None = None
    """On the workers' samples, by which equals are told apart."""

    def rank(self, score: Score) -> tuple[float, float]:
        """Return what is smaller for better trials."""
        return -score.goodness(self.value), inf if self.loss is None else self.loss


@dataclass(frozen=True)
class Rung:
    """All trials with one number of rounds, the best first."""

    rounds: int
    trials: tuple[Trial, ...]


def rounds_of(full: int, rungs: int) -> list[int]:
    """Return the rounds of every rung.

    >>> rounds_of(5000, rungs=3)
    [555, 1666, 5000]
    """
    if rungs < 1:
        raise InvalidInput(f"rungs must be at least 1; got {rungs}")
    return [max(full // FACTOR**left, 1) for left in reversed(range(rungs))]


def halve(candidates: Sequence[Spec], rungs: int, gather: Gather) -> list[Rung]:
    """Return every rung; the first trial of the last one won.

    Of equal scores the lower loss is better; where that is equal too, the one that ranked higher before stays.
    """
    score = spec_score(candidates[0])
    left, climbed = list(candidates), []
    for rounds in rounds_of(candidates[0].rounds, rungs):
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
