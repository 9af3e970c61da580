"""By which number a run is judged, and what to make of it in one sentence."""

from collections.abc import Iterable
from typing import Protocol

from holdfast.problems import LOSS, PROBLEMS, Score, declared_score
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


__all__ = ["Evaluated", "Score", "choose_score", "spec_score"]


WELL, HALF = 0.9, 0.5
"""Shares of the way from guessing to the most that is possible, above which a run did well, or by half; conventions."""
NOTHING = 0.1
"""Up to this share nothing worth the name was learned."""


def verdict(
    spec: Spec, score: str, value: float | None, ceiling: float | None, guessing: float | None, diverged: int | None
) -> str | None:
    """Return the sentence, for an accuracy or R2; None for what has no scale of its own.

    `ceiling` is the accuracy that the honest workers' data allow, `guessing` that of the commonest class.

    >>> verdict(Spec(), "accuracy", 0.07, 1.0, 0.11, None)
    'Nothing was learned: always naming the commonest class gets 0.1100, this model 0.0700 of a possible 1.0000.'
    """
    attacked = spec.attack is not None and spec.method.attacked
    if diverged is not None:
        return f"Nothing was learned: the model diverged at round {diverged}{'; the attack won' if attacked else ''}."
    if value is not None and score == "r2":
        return _of_regression(value, attacked)
    if value is not None and score == "accuracy" and ceiling is not None and guessing is not None:
        return _of_classes(value, ceiling, guessing, attacked)
    return None


def _of_classes(value: float, ceiling: float, guessing: float, attacked: bool) -> str:
    share = (value - guessing) / (ceiling - guessing) if ceiling > guessing else 1.0
    if share >= WELL:
        return f"{'It held' if attacked else 'It learned'}: accuracy {value:.4f}{_of_possible(ceiling)}."
    if share > NOTHING:
        how = "More than half of what is possible" if share >= HALF else "Less than half of what is possible"
        return f"{how} was learned: accuracy {value:.4f}{_of_possible(ceiling)}.{_ideal(attacked)}"
    why = f"always naming the commonest class gets {guessing:.4f}, this model {value:.4f}{_of_possible(ceiling)}"
    return f"{'The attack won' if attacked else 'Nothing was learned'}: {why}.{_ideal(attacked)}"


def _of_regression(value: float, attacked: bool) -> str:
    if value <= NOTHING:
        won = "The attack won" if attacked else "Nothing was learned"
        return f"{won}: R2 {value:.4f} is hardly better than always predicting the mean (0).{_ideal(attacked)}"
    return f"The model explains {value:.0%} of the variance (R2 {value:.4f}).{_ideal(attacked)}"


def _of_possible(ceiling: float) -> str:
    if ceiling == 1:
        return " of a possible 1.0000"
    return f" of at most {ceiling:.4f}: only attackers hold the other classes"


def _ideal(attacked: bool) -> str:
    if not attacked:
        return ""
    return " With --method ideal-rsa, which knows who attacks, you see what was possible."
