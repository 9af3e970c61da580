"""All runs that some figures need."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from holdfast.experiments.gathering import Arrived, gather
from holdfast.experiments.pool import Work
from holdfast.experiments.spec import Spec
from holdfast.experiments.store import Store
from holdfast.reproduction.figures import Figure
from holdfast.reproduction.findings import Findings, runnable


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
