"""By which number a run is judged, and what to make of it in one sentence."""

from collections.abc import Iterable
from typing import Protocol

from holdfast.problems import ACCURACY, LOSS, PROBLEMS, Score, declared_score
from holdfast.runs.metrics import Evaluation
from holdfast.runs.spec import Spec


class Evaluated(Protocol):
    """A run that was evaluated: a result, a record, an inspection."""

    @property
    def spec(self) -> Spec: ...
    @property
    def history(self) -> Iterable[Evaluation]: ...


def choose_score(runs: Iterable[Evaluated]) -> Score:
    """Return the score of the runs' problem, if all their evaluations measured it, else the loss.

    >>> from holdfast.runs.spec import Spec
    >>> from holdfast.runs.runner import run
    >>> choose_score([run(Spec(data="digits", rounds=2))]).title
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
    return declared_score(PROBLEMS.make(spec.problem))


__all__ = ["Evaluated", "Score", "choose_score", "is_guessing", "share_kept", "spec_score", "verdict"]


WELL, HALF = 0.9, 0.5
"""Shares of the way from guessing to the ceiling, above which a run did well, or by half; conventions."""
HARDLY = 0.1
"""Up to this share a model is hardly better than guessing."""


def is_guessing(score: Score, value: float | None, guessing: float | None) -> bool:
    """Return whether a final score is no better than guessing; False where one of them is not known.

    >>> is_guessing(ACCURACY, 0.4, 0.4), is_guessing(ACCURACY, 0.5, 0.4), is_guessing(LOSS, 9.0, 0.4)
    (True, False, False)
    """
    scaled = score.name == ACCURACY.name or score.guessing is not None
    if value is None or guessing is None or not scaled:
        return False
    return score.goodness(value) <= score.goodness(guessing)


def share_kept(value: float, guessing: float | None, ceiling: float | None) -> float:
    """Return how far a score lies on the way from guessing (0 if not known) to the ceiling (1 if not known).

        kept = (value - guessing) / (ceiling - guessing),    0 for a score at or below guessing

    >>> share_kept(0.5, guessing=0.1, ceiling=0.6), share_kept(0.09, guessing=0.1, ceiling=0.6)
    (0.8, 0.0)
    """
    low, high = guessing or 0.0, 1.0 if ceiling is None else ceiling
    if value <= low:
        return 0.0
    return (value - low) / (high - low) if high > low else 1.0


def verdict(
    spec: Spec, score: str, value: float | None, ceiling: float | None, guessing: float | None, diverged: int | None
) -> str | None:
    """Return the sentence, for an accuracy or R2; None for what has no scale of its own.

    `ceiling` is the accuracy that the honest workers' data allow, `guessing` the score that needs no learning.

    >>> print(verdict(Spec(), "accuracy", 0.07, 1.0, 0.11, None))
    No better than guessing: accuracy 0.0700 of a possible 1.0000. Always naming the commonest class gets 0.1100.
    """
    attacked = spec.attack is not None and spec.method.attacked
    if diverged is not None:
        return f"Nothing was learned: the model diverged at round {diverged}{'; the attack won' if attacked else ''}."
    if value is not None and score == "r2":
        return _of_regression(value, guessing or 0.0, attacked)
    if value is not None and score == "accuracy" and ceiling is not None and guessing is not None:
        return _of_classes(value, ceiling, guessing, attacked)
    return None


def _of_classes(value: float, ceiling: float, guessing: float, attacked: bool) -> str:
    share, reached = share_kept(value, guessing, ceiling), f"accuracy {value:.4f}{_of_possible(ceiling)}"
    if share >= WELL:
        return f"{'It held' if attacked else 'It learned'}: {reached}."
    if share > HARDLY:
        how = "More than half of what is possible" if share >= HALF else "Less than half of what is possible"
        return f"{how} was learned: {reached}.{_ideal(attacked)}"
    commonest = f"Always naming the commonest class gets {guessing:.4f}."
    return f"{_beside_guessing(value, guessing)}: {reached}. {commonest}{_ideal(attacked, value <= guessing)}"


def _of_regression(value: float, guessing: float, attacked: bool) -> str:
    if value <= guessing + HARDLY:
        mean = f"R2 {value:.4f}. Always predicting the mean gets {guessing:g}."
        return f"{_beside_guessing(value, guessing)}: {mean}{_ideal(attacked, value <= guessing)}"
    return f"The model explains {value:.0%} of the variance (R2 {value:.4f}).{_ideal(attacked)}"


def _beside_guessing(value: float, guessing: float) -> str:
    return "No better than guessing" if value <= guessing else "Hardly better than guessing"


def _of_possible(ceiling: float) -> str:
    if ceiling == 1:
        return " of a possible 1.0000"
    return f" of at most {ceiling:.4f}: only attackers hold the other classes"


def _ideal(attacked: bool, lost: bool = False) -> str:
    if not attacked:
        return ""
    won = " The attack won." if lost else ""
    return f"{won} With --method ideal-rsa, which knows who attacks, you see what was possible."
