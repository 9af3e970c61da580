"""Numbers that models are judged by. Which one it is, a problem says itself."""

from dataclasses import dataclass
from math import inf, isnan
from typing import Any


@dataclass(frozen=True)
class Score:
    """A number by which models are compared, one of those that `Problem.evaluate` returns."""

    name: str
    title: str
    """What it is called where there is room."""
    higher: bool = True
    """Whether more is better."""
    share: bool = True
    """Whether it lies between 0 and 1."""
    symbol: str = ""
    """What it is called in a sentence, if not by its name."""
    least: float = -inf
    """What is worse is not told apart where it is drawn."""

    @property
    def called(self) -> str:
        """What it is called in a sentence."""
        return self.symbol or self.name

    def of(self, evaluation: Any) -> float | None:
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


ACCURACY = Score("accuracy", "test accuracy")
LOSS = Score("loss", "loss", higher=False, share=False)
"""What models are judged by where nothing else is measured."""


def declared_score(problem: Any) -> Score:
    """Return what models of a problem, or of the class that makes it, are judged by: its `score`, else accuracy."""
    found = getattr(problem, "score", ACCURACY)
    return found if isinstance(found, Score) else ACCURACY
