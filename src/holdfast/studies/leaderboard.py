"""How one method did under one attack: the final score over the seeds, and what the best moment would hide."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdfast.methods import Method
from holdfast.problems import ACCURACY, Score
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.verdicts import choose_score, share_kept
from holdfast.studies.arena_plan import Arena, Bout, Condition, Task
from holdfast.studies.intervals import Interval, differ


def final_score(record: Record) -> float:
    """Return the accuracy at the end, else another score of which more is better; 0 for a run that diverged.

    A score without a lower bound, as R2, counts at least as the least value that charts show.
    """
    return score_at(record, record.last)


def score_at(record: Record, evaluation: Evaluation | None) -> float:
    """Return the same at any evaluation."""
    if evaluation is None:
        return 0.0
    if evaluation.accuracy is not None:
        return evaluation.accuracy
    score = record.score
    return max(score.of(evaluation) or 0.0, score.least) if score.higher else 0.0


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
        """The final score. It decides; a run that diverged ends at 0."""
        return Interval.of(self.by_seed, least=min(0.0, *self.by_seed), most=1.0)

    @cached_property
    def by_seed(self) -> list[float]:
        """The final score of each seed."""
        return [*map(final_score, self.records)]

    @cached_property
    def best(self) -> float:
        """The best score over time, on average over the seeds: what a heat map of best moments would show."""
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
    def guessing(self) -> float | None:
        """The score that needs no learning."""
        known = [record.guessing for record in self.records if record.guessing is not None]
        return float(np.mean(known)) if known else None

    @property
    def guesses(self) -> bool:
        """Whether the final score is no better than guessing."""
        return self.guessing is not None and self.final.mean <= self.guessing

    @property
    def share(self) -> float:
        """How far the final score lies on the way from guessing to the ceiling."""
        return share_kept(self.final.mean, self.guessing, self.ceiling)

    @property
    def shares(self) -> list[float]:
        """The same for each seed alone."""
        return [share_kept(final_score(each), each.guessing, each.ceiling) for each in self.records]


def _best(record: Record) -> float:
    return max((score_at(record, each) for each in record.history), default=0.0)


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
        """How far the score lies on the way from guessing to the ceiling."""
        return None if self.worst is None else self.worst.share


@dataclass(frozen=True)
class Leaderboard:
    """All standings. The overall score is the mean over the attacked conditions of the share kept."""

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

    def overall_by_seed(self, method: Method) -> list[float]:
        """Return a method's overall score for each seed alone; nothing if it could not be played somewhere."""
        worst = [self.standing(method, condition).worst for condition in self.conditions if condition.byzantine]
        known = [cell.shares for cell in worst if cell is not None]
        return [float(np.mean(each)) for each in zip(*known, strict=True)] if len(known) == len(worst) else []

    def ranks(self, method: Method) -> tuple[int, int] | None:
        """Return the best and the worst rank that noise allows; None of a method that could not be played somewhere.

        The best is 1 + the number of methods that are better by more than noise; the worst leaves below it as many as
        are worse by more than noise.
        """
        scores = {each: score for each in self.ranked if (score := self.overall(each)) is not None}
        if method not in scores:
            return None
        mine, own = scores[method], self.overall_by_seed(method)
        apart = [each for each in scores if each != method and differ(self.overall_by_seed(each), own)]
        better = sum(scores[each] > mine for each in apart)
        return 1 + better, len(scores) - (len(apart) - better)

    @property
    def seeds(self) -> int:
        """How many seeds were played."""
        return max((len(cell.records) for standing in self.standings for cell in standing.cells), default=0)

    @cached_property
    def score(self) -> Score:
        """What methods are compared by."""
        records = [record for standing in self.standings for cell in standing.cells for record in cell.records]
        if any(record.accuracy is not None for record in records):
            return ACCURACY
        return choose_score(record for record in records if record.last is not None)

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
