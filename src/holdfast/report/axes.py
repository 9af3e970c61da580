"""Axes that fit what is drawn on them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, isfinite, log10

from holdfast.runs.verdicts import Score

DECADES = [10.0**exponent for exponent in range(-12, 13)]
"""Labels of logarithmic axes."""
FEW = 100
"""Below this ratio of its ends a logarithmic axis is also labelled between decades."""
TINY = 1e-30
"""The least length of an axis."""


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Return the labels of a logarithmic axis.

    >>> [tick for tick in logarithmic_ticks(1.0, 6.0) if 1 <= tick <= 6]
    [1.0, 2.0, 5.0]
    """
    return [step * decade for decade in DECADES for step in ((1, 2, 5) if high < FEW * low else (1,))]


@dataclass(frozen=True)
class Axis:
    """The ends of an axis, its title and its scale."""

    title: str
    low: float
    high: float
    logarithmic: bool = False

    @property
    def form(self) -> str | None:
        """Format of its numbers: with an exponent where most digits would be zeros, else the default.

        >>> Axis("", 0.0, 1.0).form, Axis("", 0.0, 4e-5).form, Axis("", -6e14, 0.0).form
        (None, '.3~e', '.3~e')
        """
        most = max(abs(self.low), abs(self.high))
        if self.logarithmic:
            return ".3~e" if self.low < 1e-4 or most > 1e6 else "~g"
        return ".3~e" if most < 1e-3 or most >= 1e6 else None

    def place(self, value: float, length: int) -> float:
        """Return how many pixels below the top a value is drawn.

        >>> Axis("", 0.0, 1.0).place(0.75, 200), Axis("", 1.0, 100.0, logarithmic=True).place(10.0, 200)
        (50.0, 100.0)
        """
        low, high, at = (
            (log10(each) for each in (self.low, self.high, value)) if self.logarithmic else (self.low, self.high, value)
        )
        return min(max((high - at) / (high - low), 0.0), 1.0) * length


def fit_axis(title: str, ends: Iterable[float], others: Iterable[float] = (), *, share: bool = False) -> Axis:
    """Return an axis with room for the ends of all lines and for the largest value.

    Of earlier, lower values it shows a part. A share stays between 0 and 1.

    >>> fit_axis("accuracy", [0.8, 0.9], [0.1, 0.9], share=True)
    Axis(title='accuracy', low=0.775, high=0.908, logarithmic=False)
    """
    last = [value for value in ends if isfinite(value)] or [0.0, 1.0]
    every = [value for value in (*last, *others) if isfinite(value)]
    low, high = min(last), max(every)
    span = max(high - low, 0.01 if share else 0.02 * max(abs(low), abs(high)), TINY)
    low, high = low - 0.25 * span, high + 0.08 * span
    low, high = (max(low, 0.0), min(high, 1.0)) if share else (low, high)
    return _axis(title, low, high)


def loss_axis(title: str, ends: Iterable[float], others: Iterable[float] = ()) -> Axis:
    """Return the axis of a loss: from the least value up to three times the height of the ends of lines.

    >>> loss_axis("loss", [1.0, 2.0], [0.0, 50.0])
    Axis(title='loss', low=-0.48, high=6.48, logarithmic=False)
    """
    last = [value for value in ends if isfinite(value)] or [0.0, 1.0]
    every = [value for value in (*last, *others) if isfinite(value)]
    low, most = min(every), max(last)
    high = min(max(every), most + 2 * (most - low)) if most > low else max(every)
    span = max(high - low, 0.02 * max(abs(low), abs(high)), TINY)
    return _axis(title, low - 0.08 * span, high + 0.08 * span)


def score_axis(score: Score, ends: Iterable[float], others: Iterable[float]) -> Axis:
    """Return the axis of a score. An axis of a high score does not go below the score's least value."""
    if score.higher:
        shown = [max(value, score.least) for value in ends]
        return fit_axis(score.title, shown, others, share=score.share)
    return loss_axis(score.title, ends, others)


def _axis(title: str, low: float, high: float) -> Axis:
    """Return the axis with as many digits as its length needs; further digits differ between machines."""
    digits = 4 - floor(log10(high - low))
    return Axis(title, round(low, digits), round(high, digits))
