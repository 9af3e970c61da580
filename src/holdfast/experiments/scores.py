"""Which number says how well a model does: its name, and whether more of it is better."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from typing import Protocol

from holdfast.experiments.metrics import Evaluation


class Evaluated(Protocol):
    """A run that was evaluated: a result, a record, an inspection."""

    @property
    def history(self) -> Iterable[Evaluation]: ...


@dataclass(frozen=True)
class Score:
    """A number by which models are compared."""

    name: str
    title: str
    """What it is called where there is room."""
    higher: bool = True
    """Whether more is better."""
    share: bool = True
    """Whether it lies between 0 and 1."""

    def of(self, evaluation: Evaluation | None) -> float | None:
        """Return it at an evaluation; None where it was not measured."""
        if evaluation is None:
            return None
        named: float | None = getattr(evaluation, self.name, None)
        return evaluation.metrics.get(self.name) if named is None else named

    def goodness(self, value: float | None) -> float:
        """Return a number that is larger for better models; a run without a value is the worst."""
        if value is None or isnan(value):
            return float("-inf")
        return value if self.higher else -value

    def text(self, value: float | None) -> str:
        """Return it in a few characters."""
        if value is None:
            return "-"
        return f"{value:.3f}" if self.share else f"{value:.3g}"


SCORES = (
    Score("accuracy", "test accuracy"),
    Score("r2", "R² on the test data", share=False),
    Score("rmse", "root mean square error on the test data", higher=False, share=False),
    Score("auc", "area under the ROC curve"),
    Score("loss", "loss", higher=False, share=False),
)
"""In the order in which they are asked for; a loss is always there."""


def score_of(runs: Iterable[Evaluated]) -> Score:
    """Return the first of the scores that every run with evaluations measured.

    >>> from holdfast.experiments import Spec, run
    >>> score_of([run(Spec(data="digits", rounds=2))]).title
    'test accuracy'
    """
    histories = [list(run.history) for run in runs]
    return next(
        score
        for score in SCORES
        if score.name == "loss"
        or (any(histories) and all(score.of(each) is not None for history in histories for each in history))
    )
