"""Which runs are wanted, and that each different one is run once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.runs.records import Record
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.paper.figures import NAMES, Figure, figure
from holdfast.studies.paper.findings import Findings, Reproduction
from holdfast.studies.paper.rates import load_rates
from holdfast.studies.store import Store
from holdfast.studies.study import Arrived, Study


def small(name: str, labels: Sequence[str]) -> Figure:
    """Return a figure with few curves and very few rounds, on digits."""
    whole = figure(name, load_rates(), data="digits", rounds=4, eval_every=2)
    panels = (replace(panel, curves=tuple(c for c in panel.curves if c.label in labels)) for panel in whole.panels)
    return replace(whole, panels=tuple(panels))


class Watched:
    """Remembers the runs of a study that are wanted, and those that arrive."""

    def __init__(self) -> None:
        self.wanted: list[Spec] = []
        self.arrived: list[tuple[Spec, bool]] = []

    @contextmanager
    def tell(self, specs: Sequence[Spec]) -> Iterator[Arrived]:
        self.wanted.extend(specs)
        yield lambda record, new: self.arrived.append((record.spec, new))


class Known:
    """A store that holds every run."""

    def find(self, spec: Spec) -> Record:
        return Record(spec, (), 1, None, None, 0.0, 0.0)

    def keep(self, record: Record) -> None:
        raise AssertionError


def wanted(reproduction: Reproduction) -> tuple[list[Spec], list[Spec]]:
    """Return the different runs, and those that are timed."""
    runs, timed = Watched(), Watched()
    reproduction.play(Study(1, Known(), telling=runs.tell), Study(1, Known(), telling=timed.tell))
    return runs.wanted, timed.wanted


def test_what_figures_share_is_run_once() -> None:
    runs, timed = wanted(Reproduction(tuple(figure(name, load_rates()) for name in NAMES), (0, 1, 2), tuple(range(5))))
    # iid: Ideal SGD once, 5 others in each of 7 panels; by label: Ideal SGD once, 5 others in 2 panels;
    # 10 lambdas; 3 x 3 norms, of which l1 under same-value is RSA of its figure, and l1 without attack comes twice
    assert len(runs) == 3 * (1 + 5 * 7 + 1 + 5 * 2 + 10 + 9 - 2)
    assert len(timed) == 5 * 6


def test_timed_methods_take_turns() -> None:
    runs, timed = wanted(Reproduction((figure("runtime", load_rates()),), (0,), (0, 1)))
    assert runs == []
    turn = ["ideal-sgd", "rsa", "geometric-median", "krum", "median", "sgd"]
    assert [(spec.seed, spec.method_name) for spec in timed] == [(seed, name) for seed in (0, 1) for name in turn]


SMALL = Reproduction((small("gaussian", ["Ideal SGD", "RSA", "SGD"]), small("runtime", ["RSA"])), (0, 1), (0, 1, 2))


def play(folder: Path, reproduction: Reproduction = SMALL) -> tuple[tuple[Findings, ...], list[tuple[Spec, bool]]]:
    watched = Watched()
    runs, timings = (
        Study(1, Store(folder / name, pytest.fail, lambda _: "digits"), telling=watched.tell)
        for name in ("runs", "timings")
    )
    return reproduction.play(runs, timings), watched.arrived


def test_a_campaign_runs_stores_and_never_repeats(tmp_path: Path) -> None:
    findings, told = play(tmp_path)
    # 2 seeds: Ideal SGD once, RSA and SGD with q = 4 and 8; then 3 timed runs of RSA
    assert len(told) == 2 * (1 + 2 * 2) + 3
    assert all(new for _, new in told)
    assert told[-3:] == [(spec, True) for spec in wanted(SMALL)[1]], "timed runs come last"
    assert len(list((tmp_path / "runs").iterdir())) == 10
    assert len(list((tmp_path / "timings").iterdir())) == 3

    lines, times = findings
    for panel, q in zip(lines.panels, (4, 8), strict=True):
        for found in panel.curves:
            assert [record.spec for record in found.records] == [replace(found.curve.spec, seed=s) for s in (0, 1)]
            assert found.records[0].spec.byzantine == q, "even where it has no effect"
            for record in found.records:
                assert list(record.history) == run(record.spec).history
    assert len(times.panels[0].curve("RSA").records) == 3

    again, retold = play(tmp_path)
    assert again == findings
    assert sorted(map(str, retold)) == sorted(str((spec, False)) for spec, _ in told)

    more, added = play(tmp_path, replace(SMALL, seeds=(0, 1, 2)))
    assert sum(new for _, new in added) == 1 + 2 * 2
    assert more[0].panels[0].curves[0].records[:2] == findings[0].panels[0].curves[0].records
