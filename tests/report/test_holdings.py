"""The picture of who holds what says what the partition dealt."""

from dataclasses import replace
from pathlib import Path

from holdfast.report.holdings_chart import MOST, holdings_chart, holdings_of
from holdfast.runs.spec import Spec

SPEC = Spec(data="digits", workers=10, byzantine=2, attack="sign-flip", partition="by-label")


def test_every_worker_has_its_samples_and_its_role() -> None:
    drawn = holdings_chart([SPEC])
    assert drawn is not None
    (panel,) = drawn.panels
    held = holdings_of(SPEC)
    assert held is not None
    assert len(panel.rows) == 10 * 10
    for row in panel.rows:
        worker, place = int(str(row["worker"])), int(str(row["class"]))
        assert row["samples"] == held.counts[worker - 1, place]
        assert bool(row["samples"]) == (place == worker - 1), "one digit each"
        assert row["role"] == ("Byzantine" if worker > 8 else "honest")


def test_classes_have_the_names_of_the_data(tmp_path: Path) -> None:
    lines = [f"{k},{k % 7},{'ill' if k % 3 else 'well'}" for k in range(60)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,dose,state", *lines]), encoding="utf-8")
    drawn = holdings_chart([Spec(data=str(tmp_path / "patients.csv"), workers=3)])
    assert drawn is not None
    assert {row["class"] for row in drawn.panels[0].rows} == {"ill", "well"}


def test_each_partition_has_a_panel_with_the_most_byzantine_workers() -> None:
    quiet = replace(SPEC, byzantine=0, attack=None)
    drawn = holdings_chart([quiet, SPEC, replace(SPEC, byzantine=1), replace(quiet, partition="iid")])
    assert drawn is not None
    assert [panel.rows[0]["partition"] for panel in drawn.panels] == ["by-label", "iid"]
    lying = [{row["worker"] for row in panel.rows if row["role"] == "Byzantine"} for panel in drawn.panels]
    assert lying == [{9, 10}, set()]
    assert "the last 2 workers" in drawn.says


def test_each_data_set_has_panels_of_its_own(tmp_path: Path) -> None:
    lines = [f"{k},{k % 7},{'ill' if k % 3 else 'well'}" for k in range(60)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,dose,state", *lines]), encoding="utf-8")
    table = replace(SPEC, data=str(tmp_path / "patients.csv"))
    drawn = holdings_chart([SPEC, table, replace(SPEC, model="mlp")])
    assert drawn is not None
    assert [panel.chart.to_dict()["title"] for panel in drawn.panels] == ["digits, by-label", "patients.csv, by-label"]
    assert [panel.rows[0]["data"] for panel in drawn.panels] == ["digits", "patients.csv"]


def test_of_many_workers_some_are_drawn() -> None:
    drawn = holdings_chart([Spec(data="digits", workers=200)])
    assert drawn is not None
    workers = {int(str(row["worker"])) for row in drawn.panels[0].rows}
    assert len(workers) == MOST
    assert {1, 200} <= workers
    assert f"{MOST} are drawn" in drawn.says


def test_where_no_classes_are_known_nothing_is_drawn() -> None:
    assert holdings_chart([Spec(data="digits", problem="least-squares")]) is None
    assert holdings_chart([Spec(data="gone.npz")]) is None
