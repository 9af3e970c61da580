"""How one method did under one attack: the final accuracy over the seeds, and what the best moment would hide."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from holdfast.arena.plan import Bout
from holdfast.experiments.records import Record


class Interval(NamedTuple):
    """A mean over seeds and half the width of its 95 % interval by Student's t; NaN with one seed."""

    mean: float
    half: float

    @staticmethod
    def of(values: Sequence[float]) -> "Interval":
        """Return the interval of a mean.

        >>> Interval.of([0.5, 0.7])
        Interval(mean=0.6, half=1.270...)
        """
        n = len(values)
        if n < 2:
            return Interval(float(np.mean(values)), nan)
        spread = float(np.std(values, ddof=1)) / sqrt(n)
        return Interval(float(np.mean(values)), float(t.ppf(0.975, n - 1)) * spread)

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if np.isnan(self.half) else f"{self.mean:.3f} ± {self.half:.3f}"


@dataclass(frozen=True)
class BoutResult:
    """A bout and how it ended: one record per seed, or why it could not be played."""

    bout: Bout
    records: tuple[Record, ...] = ()
    failure: str | None = None

    @cached_property
    def final(self) -> Interval:
        """The final test accuracy. It decides; a run that diverged ends at 0."""
        return Interval.of([record.accuracy or 0.0 for record in self.records])

    @cached_property
    def best(self) -> float:
        """The best accuracy over time, on average over the seeds: what a heat map of best moments would show."""
        return float(np.mean([_best(record) for record in self.records]))

    @property
    def drop(self) -> float:
        """How much was lost from the best moment to the end."""
        return self.best - self.final.mean

    @property
    def honest_left_out(self) -> float | None:
        """In what share of their rounds honest workers were left out, on average over the seeds."""
        known = [share for record in self.records if (share := record.honest_left_out) is not None]
        return float(np.mean(known)) if known else None

    @property
    def ceiling(self) -> float | None:
        """The accuracy that no method can exceed, for want of the Byzantine workers' classes."""
        known = [record.ceiling for record in self.records if record.ceiling is not None]
        return float(np.mean(known)) if known else None

    @property
    def share(self) -> float:
        """The final accuracy as a share of what can be reached at all."""
        return self.final.mean / (self.ceiling or 1.0)


def _best(record: Record) -> float:
    return max((evaluation.accuracy or 0.0 for evaluation in record.history), default=0.0)
