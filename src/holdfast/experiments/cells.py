"""Runs that differ in their seed only, as one: the mean of each number, with its standard error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.records import Record


@dataclass(frozen=True, repr=False, kw_only=True)
class Cell(Record):
    """The mean of some runs: it reads as a run does, and ended well if all of them did."""

    runs: tuple[Record, ...]
    errors: tuple[Evaluation, ...] = ()
    """The standard error of each evaluation's numbers, where there are several runs."""

    @property
    def error(self) -> Evaluation | None:
        """The standard errors of the final numbers."""
        return self.errors[-1] if self.errors and self.last else None

    @property
    def trouble(self) -> str:
        """How many of the runs failed or diverged, in a few words; nothing if none did."""
        counts = {
            "failed": sum(run.failed is not None for run in self.runs),
            "diverged": sum(run.diverged is not None for run in self.runs),
        }
        return ", ".join(
            what if count == len(self.runs) else f"{count} of {len(self.runs)} {what}"
            for what, count in counts.items()
            if count
        )

    @staticmethod
    def mean(runs: Sequence[Record]) -> "Cell":
        """Return the cell of these runs; of one run, its own numbers."""
        first = runs[0]
        common = {point.round for point in first.history}.intersection(
            *({point.round for point in run.history} for run in runs)
        )
        points = [[point for point in run.history if point.round in common] for run in runs]
        together = list(zip(*points, strict=True))
        several = len(runs) > 1
        known = [run.ceiling for run in runs if run.ceiling is not None]
        return Cell(
            spec=first.spec,
            history=[_each(beside, fmean) for beside in together] if several else first.history,
            rounds=min(run.rounds for run in runs),
            diverged=min((run.diverged for run in runs if run.diverged is not None), default=None),
            ceiling=fmean(known) if known else None,
            seconds=fmean(run.seconds for run in runs),
            evaluation_seconds=fmean(run.evaluation_seconds for run in runs),
            bytes_up=first.bytes_up,
            bytes_down=first.bytes_down,
            absent=sum(run.absent for run in runs),
            personal=None if several else first.personal,
            failed=next((run.failed for run in runs if run.failed is not None), None),
            runs=tuple(runs),
            errors=tuple(_each(beside, _standard_error) for beside in together) if several else (),
        )


def _standard_error(values: Sequence[float]) -> float:
    return stdev(values) / sqrt(len(values))


def _each(evaluations: Sequence[Evaluation], number: Callable[[list[float]], float]) -> Evaluation:
    """Return an evaluation with this number of every measure that all of them have."""

    def of(values: list[Any]) -> float | None:
        return None if None in values else number(values)

    names = [name for name in evaluations[0].metrics if all(name in each.metrics for each in evaluations)]
    plain: dict[str, Any] = {
        name: of([getattr(each, name) for each in evaluations]) for name in ("accuracy", "loss", "variance", "distance")
    }
    metrics: dict[str, Any] = {name: of([each.metrics[name] for each in evaluations]) for name in names}
    return Evaluation(round=evaluations[0].round, metrics=metrics, **plain)
