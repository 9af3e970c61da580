"""By which number runs are judged: by that of their problem, or by the loss where it was not measured."""

from collections.abc import Iterable
from typing import Protocol

from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.spec import Spec
from holdfast.problems import LOSS, PROBLEMS, Score, declared_score


class Evaluated(Protocol):
    """A run that was evaluated: a result, a record, an inspection."""

    @property
    def spec(self) -> Spec: ...
    @property
    def history(self) -> Iterable[Evaluation]: ...


def score_of(runs: Iterable[Evaluated]) -> Score:
    """Return the score of the runs' problem, if all their evaluations measured it, else the loss.

    >>> from holdfast.experiments import Spec, run
    >>> score_of([run(Spec(data="digits", rounds=2))]).title
    'test accuracy'
    """
    runs = list(runs)
    scores = {spec_score(run.spec) for run in runs}
    evaluations = [each for run in runs for each in run.history]
    if len(scores) != 1 or not evaluations:
        return LOSS
    (score,) = scores
    return score if all(score.of(each) is not None for each in evaluations) else LOSS


def spec_score(spec: Spec) -> Score:
    """Return what models of a resolved spec's problem are judged by."""
    return declared_score(PROBLEMS.make(spec.problem) if isinstance(spec.problem, str) else spec.problem)


__all__ = ["Evaluated", "Score", "score_of", "spec_score"]
