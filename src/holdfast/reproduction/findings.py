"""What the runs behind a figure gave, in the figure's own shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean, median

from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.defaults import canonical
from holdfast.experiments.records import Record
from holdfast.experiments.spec import Spec
from holdfast.reproduction.figures import Curve, Figure, Panel


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
