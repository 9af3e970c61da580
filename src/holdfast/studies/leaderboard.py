"""How one method did under one attack: the final accuracy over the seeds, and what the best moment would hide."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from holdfast.methods import Method
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.arena_plan import Arena, Bout, Condition, Task


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

    @staticmethod
    def of(bout: Bout, records: Sequence[Record]) -> "BoutResult":
        """Return the cell of these records; the first that failed makes the cell fail."""
        failure = next((record.failed for record in records if record.failed is not None), None)
        return BoutResult(bout, tuple(records)) if failure is None else BoutResult(bout, failure=failure)

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


@dataclass(frozen=True)
class Standing:
    """A method in one condition: all its cells there."""

    condition: Condition
    method: Method
    cells: tuple[BoutResult, ...]

    @cached_property
    def worst(self) -> BoutResult | None:
        """The cell with the lowest final accuracy; None if one could not be played, since that may be the worst."""
        if any(cell.failure for cell in self.cells):
            return None
        return min(self.cells, key=lambda cell: cell.final.mean)

    @property
    def score(self) -> float | None:
        """The worst case over the attacks of the final accuracy."""
        return None if self.worst is None else self.worst.final.mean

    @property
    def share(self) -> float | None:
        """The score as a share of what can be reached at all."""
        return None if self.worst is None else self.worst.share


@dataclass(frozen=True)
class Leaderboard:
    """All standings. The overall score is the mean over the attacked conditions of the share of the ceiling kept."""

    standings: tuple[Standing, ...]

    @staticmethod
    def of(cells: Iterable[BoutResult]) -> "Leaderboard":
        """Return the standing of every method in every condition."""
        grouped: dict[tuple[Condition, Method], list[BoutResult]] = {}
        for cell in cells:
            grouped.setdefault(cell.bout[:2], []).append(cell)
        return Leaderboard(tuple(Standing(*place, tuple(found)) for place, found in grouped.items()))

    def runs(self, arena: Arena) -> Iterator[tuple[Spec, Record]]:
        """Yield every run with the spec that the arena asked for; a cell that failed has a failed record."""
        for cell in (cell for standing in self.standings for cell in standing.cells):
            asked = arena.specs(cell.bout)
            records = cell.records or [Record.failure(spec, cell.failure or "") for spec in asked]
            yield from zip(asked, records, strict=True)

    @property
    def conditions(self) -> list[Condition]:
        return list(dict.fromkeys(standing.condition for standing in self.standings))

    @cached_property
    def by_task(self) -> "dict[Task, Leaderboard]":
        """The standings of every task alone."""
        grouped: dict[Task, list[Standing]] = {}
        for standing in self.standings:
            grouped.setdefault(standing.condition.task, []).append(standing)
        return {task: Leaderboard(tuple(found)) for task, found in grouped.items()}

    @cached_property
    def _places(self) -> dict[tuple[Method, Condition], Standing]:
        return {(standing.method, standing.condition): standing for standing in self.standings}

    def standing(self, method: Method, condition: Condition) -> Standing:
        """Return how a method stands in a condition."""
        return self._places[method, condition]

    def overall(self, method: Method) -> float | None:
        """Return a method's overall score; None if it could not be played in some condition."""
        shares = [self.standing(method, condition).share for condition in self.conditions if condition.byzantine]
        known = [share for share in shares if share is not None]
        return float(np.mean(known)) if len(known) == len(shares) else None

    @cached_property
    def ranked(self) -> list[Method]:
        """The methods, the best overall first; those that could not be played everywhere come last."""
        methods = dict.fromkeys(standing.method for standing in self.standings)
        scores = {method: self.overall(method) for method in methods}
        return sorted(methods, key=lambda method: -1.0 if (score := scores[method]) is None else score, reverse=True)

    def best(self, condition: Condition) -> Standing | None:
        """Return the best standing in a condition, if any method could be played there."""
        return max(self._list_scores(condition), key=lambda standing: standing.score or 0.0, default=None)

    def _list_scores(self, condition: Condition) -> Sequence[Standing]:
        return [each for each in self.standings if each.condition == condition and each.score is not None]
