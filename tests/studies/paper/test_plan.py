"""Which runs are wanted, and that each different one is run once."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.runs.records import Record
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.paper.figures import NAMES, Figure, figure
from holdfast.studies.paper.findings import Findings, Plan
from holdfast.studies.paper.rates import recorded
from holdfast.studies.store import Store


def small(name: str, labels: Sequence[str]) -> Figure:
    """Return a figure with few curves and very few rounds, on digits."""
    whole = figure(name, recorded(), data="digits", rounds=4, eval_every=2)
    panels = (replace(panel, curves=tuple(c for c in panel.curves if c.label in labels)) for panel in whole.panels)
    return replace(whole, panels=tuple(panels))


def test_what_figures_share_is_run_once() -> None:
    plan = Plan(tuple(figure(name, recorded()) for name in NAMES), (0, 1, 2), tuple(range(5)))
    # iid: Ideal SGD once, 5 others in each of 7 panels; by label: Ideal SGD once, 5 others in 2 panels;
    # 10 lambdas; 3 x 3 norms, of which l1 under same-value is RSA of its figure, and l1 without attack comes twice
    assert len(plan.runs()) == 3 * (1 + 5 * 7 + 1 + 5 * 2 + 10 + 9 - 2)
    assert len(plan.timed()) == 5 * 6


def test_timed_methods_take_turns() -> None:
    plan = Plan((figure("runtime", recorded()),), (0,), (0, 1))
    assert plan.runs() == []
    turn = ["ideal-sgd", "rsa", "geometric-median", "krum", "median", "sgd"]
    timed = [(spec.seed, spec.method_name) for spec in plan.timed()]
    assert timed == [(seed, name) for seed in (0, 1) for name in turn]


PLAN = Plan((small("gaussian", ["Ideal SGD", "RSA", "SGD"]), small("runtime", ["RSA"])), (0, 1), (0, 1, 2))


def conducted(folder: Path, plan: Plan = PLAN) -> tuple[tuple[Findings, ...], list[tuple[Spec, bool]]]:
    told: list[tuple[Spec, bool]] = []

    def arrived(record: Record, new: bool) -> None:
        told.append((record.spec, new))

    runs, timings = (Store(folder / name, "digits", pytest.fail) for name in ("runs", "timings"))
    return plan.conduct(1, runs, timings, arrived), told


def test_a_campaign_runs_stores_and_never_repeats(tmp_path: Path) -> None:
    findings, told = conducted(tmp_path)
    # 2 seeds: Ideal SGD once, RSA and SGD with q = 4 and 8; then 3 timed runs of RSA
    assert len(told) == 2 * (1 + 2 * 2) + 3
    assert all(new for _, new in told)
    assert told[-3:] == [(spec, True) for spec in PLAN.timed()], "timed runs come last"
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

    again, retold = conducted(tmp_path)
    assert again == findings
    assert sorted(map(str, retold)) == sorted(str((spec, False)) for spec, _ in told)

    more, added = conducted(tmp_path, replace(PLAN, seeds=(0, 1, 2)))
    assert sum(new for _, new in added) == 1 + 2 * 2
    assert more[0].panels[0].curves[0].records[:2] == findings[0].panels[0].curves[0].records
