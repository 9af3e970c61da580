"""Many runs at once: what is run, in which order it comes back, what is said before."""

import csv
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest

from changed import ready
from holdfast.errors import InvalidInput
from holdfast.runs.metrics import METRICS
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Record, Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.arena_presets import Preset
from holdfast.studies.comparison import compare
from holdfast.studies.study import grid
from holdfast.studies.table import Comparison, format_csv, list_evaluations

BASE = Spec(data="digits", workers=10, byzantine=3, rounds=5, eval_every=5, batch=8)


def names(specs: list[Spec]) -> list[tuple[str, str, str]]:
    return [(spec.partition_text, spec.attack_text, spec.method_name) for spec in specs]


def test_a_grid_is_every_combination_in_order() -> None:
    specs = grid(BASE, ["rsa", "krum"], ["none", "infinite"], ["iid", "by-label"])
    assert names(specs) == [
        (partition, attack, method)
        for partition in ("iid", "by-label")
        for attack in ("none", "infinite")
        for method in ("rsa", "krum")
    ]


def test_without_an_attack_nobody_is_byzantine() -> None:
    quiet, loud = grid(BASE, ["rsa"], ["none", "infinite"], ["iid"])
    assert (quiet.byzantine, loud.byzantine) == (0, 3)


def test_rules_are_told_the_same_number_with_and_without_an_attack() -> None:
    """Else it would cost nothing to be robust where no rule is asked to be."""
    quiet, loud = map(fill_defaults, grid(BASE, ["krum"], ["none", "infinite"], ["iid"]))
    assert (quiet.q, quiet.declared, loud.declared) == (0, 3, 3)
    quiet, *_ = map(fill_defaults, grid(BASE, ["krum"], ["none", "infinite"], ["iid"], byzantine=[2, 3]))
    assert quiet.declared == 2
    quiet, _ = map(fill_defaults, grid(replace(BASE, declared=1), ["krum"], ["none", "infinite"], ["iid"]))
    assert quiet.declared == 1
    arena = Preset(methods=["krum"], attacks=["alie"], partitions=["iid"], byzantine=["4", "8"]).arena()
    assert {arena.specs(bout)[0].declared for bout in arena.bouts() if not bout.condition.byzantine} == {4}


def test_named_byzantine_workers_are_honest_where_there_is_no_attack() -> None:
    quiet, loud = grid(replace(BASE, byzantine=(1, 2, 3)), ["rsa"], ["none", "infinite"], ["iid"])
    assert fill_defaults(quiet).byzantine_workers == ()
    assert loud.byzantine_workers == (1, 2, 3)


def test_a_grid_keeps_everything_else() -> None:
    (spec,) = grid(replace(BASE, seed=9, momentum=0.5), ["krum:byzantine=2"], ["infinite"], ["by-label"])
    changed: dict[str, Any] = {"method": "krum:byzantine=2", "attack": "infinite", "partition": "by-label"}
    assert spec == replace(BASE, seed=9, momentum=0.5, **changed)


SPECS = [
    replace(BASE, method="ideal-sgd", attack="infinite"),
    replace(BASE, method="sgd", attack="infinite"),
    replace(BASE, method="rsa", attack="gaussian"),
    replace(BASE, method="ideal-sgd", attack="gaussian"),
    replace(BASE, method="rsa", attack="gaussian"),
    replace(BASE, method="ideal-sgd", byzantine=0),
]


@pytest.fixture(scope="module")
def compared() -> tuple[Comparison, list[tuple[Result, str]]]:
    told: list[tuple[Result, str]] = []
    results = compare(SPECS, jobs=2, finished=lambda result, name: told.append((result, name)))
    return results, told


Compared = tuple[Comparison, list[tuple[Result, str]]]


def test_equal_runs_are_run_once(compared: Compared) -> None:
    # nobody lies to ideal SGD, so its three runs are one; RSA's two are equal
    _, told = compared
    assert sorted(result.spec.method_name for result, _ in told) == ["ideal-sgd", "rsa", "sgd"]
    assert sorted(name for _, name in told) == ["iid  gaussian  rsa", "iid  infinite  ideal-sgd", "iid  infinite  sgd"]


def test_results_come_in_the_order_of_the_specs(compared: Compared) -> None:
    results, _ = compared
    assert [result.spec for result in results] == [ready(spec) for spec in SPECS]
    assert list(results.asked) == SPECS


def test_a_process_of_its_own_changes_no_bit(compared: Compared) -> None:
    results, _ = compared
    for spec, result in zip(SPECS, results, strict=True):
        alone = run(spec)
        np.testing.assert_array_equal(result.model, alone.model)
        assert result.history == alone.history
        assert result.diverged == alone.diverged


def test_what_cannot_work_is_said_before_anything_runs() -> None:
    told: list[Result] = []
    doomed = [replace(BASE, method="rsa"), replace(BASE, method="krum", declared=8)]
    with pytest.raises(InvalidInput, match="Krum needs"):
        compare(doomed, jobs=1, finished=lambda result, _: told.append(result))
    assert told == []


@pytest.mark.parametrize("jobs", [0, -1])
def test_at_least_one_process_is_needed(jobs: int) -> None:
    with pytest.raises(InvalidInput, match=f"jobs must be at least 1; got {jobs}"):
        compare([BASE], jobs=jobs)


def test_nothing_to_compare() -> None:
    with pytest.raises(InvalidInput, match="at least one run"):
        compare([])


def test_the_table_has_one_row_per_run_and_evaluation() -> None:
    """Every metric is a column, under the names of the evaluations; a run that failed has one row that says why."""
    asked = Spec(data="digits", workers=4, rounds=4, eval_every=2)
    found = compare([asked, replace(asked, seed=1)], jobs=1)
    rows = found.evaluations()
    assert [(row["seed"], row["round"]) for row in rows] == [(0, 2), (0, 4), (1, 2), (1, 4)]
    evaluations = [each for run in found for each in run.history]
    assert [{name: row[name] for name in each.values} for row, each in zip(rows, evaluations, strict=True)] == [
        each.values for each in evaluations
    ]
    assert {"accuracy", "loss", "variance", "distance"} <= rows[0].keys()
    (failed,) = list_evaluations([(asked, Record.failure(asked, "its process ended"))])
    assert (failed["round"], failed["failed"]) == (0, "its process ended")
    back = list(csv.DictReader(StringIO(format_csv([*rows, failed]))))
    assert [float(row["loss"]) for row in back[:-1]] == [each.loss for each in evaluations], "to the last bit"
    assert back[-1]["loss"] == ""


def test_an_added_metric_has_a_mean_and_a_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "farthest", lambda moment: float(moment.from_master.max()))
    specs = tuple(Spec(data="digits", workers=4, rounds=2, rate=0.001, seed=seed) for seed in (0, 1))
    both = Comparison(specs, tuple(map(run, specs)))
    values = [each.last.metrics["farthest"] for each in both]
    (cell,) = both.rows()
    assert cell["farthest"] == pytest.approx(np.mean(values))
    assert cell["farthest_error"] == pytest.approx(abs(values[0] - values[1]) / 2)  # s / sqrt(2) of two values
    assert [row["farthest"] for row in both.evaluations()] == values
