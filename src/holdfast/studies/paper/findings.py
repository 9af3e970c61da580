"""What the runs behind a figure gave, in the figure's own shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.paper.figures import Curve, Figure, Panel
from holdfast.studies.pool import Work
from holdfast.studies.study import Study


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

    def rename(self, label: str) -> "CurveFindings":
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

        def collect(curve: Curve) -> CurveFindings:
            specs = [replace(curve.spec, seed=seed) for seed in seeds]
            return CurveFindings(curve, tuple(replace(record(spec), spec=spec) for spec in specs))

        panels = (PanelFindings(panel, tuple(map(collect, panel.curves))) for panel in figure.panels)
        return Findings(figure, tuple(panels))


@dataclass(frozen=True)
class Reproduction:
    """The preset `reproduce`: the runs that some figures need."""

    figures: tuple[Figure, ...]
    seeds: tuple[int, ...]
    repeats: tuple[int, ...]
    """The seeds of the runs that are timed."""

    def play(self, runs: Study, timings: Study, beside: Sequence[Work] = ()) -> tuple[Findings, ...]:
        """Run what is not stored yet, do the work beside it, and return what the figures show.

        Timed runs come when the others are over, interleaved: every method once, then every method again.
        """
        records = runs.record(self._specs(self.seeds, timed=False), beside)
        times = timings.record(self._specs(self.repeats, timed=True))
        return tuple(
            Findings.of(figure, self.repeats, times.__getitem__)
            if figure.timed
            else Findings.of(figure, self.seeds, records.__getitem__)
            for figure in self.figures
        )

    def _specs(self, seeds: Sequence[int], timed: bool) -> list[Spec]:
        specs = [curve.spec for figure in self.figures if figure.timed == timed for curve in figure.curves()]
        return list(dict.fromkeys(replace(spec, seed=seed) for seed in seeds for spec in specs))
