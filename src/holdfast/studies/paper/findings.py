"""What the runs behind a figure gave, in the figure's own shape."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean, median

from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import canonical
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.paper.figures import Curve, Figure, Panel
from holdfast.studies.pool import Work
from holdfast.studies.store import Store
from holdfast.studies.study import Arrived, gather


@cache
def runnable(spec: Spec) -> Spec:
    """Return what is run for a spec: without what its method ignores, and with numbers for what is left to the rule."""
    return resolve_auto(canonical(spec))


@dataclass(frozen=True)
class CurveFindings:
    """The runs behind a curve, one per seed."""

    curve: Curve
    records: tuple[Record, ...]

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The final test accuracy of each seed; 0 where the run diverged."""
        return tuple(record.accuracy or 0.0 for record in self.records)

    @property
    def accuracy(self) -> float:
        """Their mean."""
        return fmean(self.accuracies)

    def named(self, label: str) -> "CurveFindings":
        """Return the same under another name."""
        return replace(self, curve=replace(self.curve, label=label))

    @property
    def milliseconds(self) -> float:
        """The time of one round, without evaluations: the median of the runs."""
        return median(record.milliseconds for record in self.records)

    @property
    def ceiling(self) -> float | None:
        """The accuracy that no method can exceed, because the Byzantine workers' classes are missing."""
        return self.records[0].ceiling


@dataclass(frozen=True)
class PanelFindings:
    """The runs behind a panel."""

    panel: Panel
    curves: tuple[CurveFindings, ...]

    def curve(self, label: str) -> CurveFindings:
        """Return the curve with this label."""
        return next(found for found in self.curves if found.curve.label == label)


@dataclass(frozen=True)
class Findings:
    """The runs behind a figure."""

    figure: Figure
    panels: tuple[PanelFindings, ...]

    @staticmethod
    def of(figure: Figure, seeds: Sequence[int], record: Callable[[Spec], Record]) -> "Findings":
        """Return the findings of a figure, given a way to the record of each run."""

        def found(curve: Curve) -> CurveFindings:
            specs = [replace(curve.spec, seed=seed) for seed in seeds]
            return CurveFindings(curve, tuple(replace(record(runnable(spec)), spec=spec) for spec in specs))

        panels = (PanelFindings(panel, tuple(map(found, panel.curves))) for panel in figure.panels)
        return Findings(figure, tuple(panels))


@dataclass(frozen=True)
class Plan:
    """Which runs are wanted."""

    figures: tuple[Figure, ...]
    seeds: tuple[int, ...]
    repeats: tuple[int, ...]
    """The seeds of the runs that are timed."""

    def runs(self) -> list[Spec]:
        """Return the different runs that nobody times."""
        return _different((figure for figure in self.figures if not _timed(figure)), self.seeds)

    def timed(self) -> list[Spec]:
        """Return the different runs to time, interleaved: every method once, then every method again."""
        return _different(filter(_timed, self.figures), self.repeats)

    def conduct(
        self, jobs: int | None, runs: Store, timings: Store, arrived: Arrived, beside: Sequence[Work] = ()
    ) -> tuple[Findings, ...]:
        """Run what is not stored yet, do the work beside it, and return what the figures show.

        Timed runs come when the others are over, one at a time on one thread: nothing disturbs them but
        what else the computer does.
        """
        found = gather(self.runs(), jobs, runs, arrived, beside)
        timed = gather(self.timed(), 1, timings, arrived)
        return tuple(
            Findings.of(figure, self.repeats, timed.__getitem__)
            if _timed(figure)
            else Findings.of(figure, self.seeds, found.__getitem__)
            for figure in self.figures
        )


def _timed(figure: Figure) -> bool:
    return figure.chart == "runtime"


def _different(figures: Iterable[Figure], seeds: Sequence[int]) -> list[Spec]:
    specs = [curve.spec for figure in figures for curve in figure.curves()]
    return list(dict.fromkeys(runnable(replace(spec, seed=seed)) for seed in seeds for spec in specs))
