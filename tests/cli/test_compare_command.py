"""`holdfast compare`: one table, one page, one file of results."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import Ended, command, command_into

from changed import ready
from holdfast.cli import main
from holdfast.methods import DEFAULT, make_method, method_name
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from strict_json import strict

METHODS = ["ideal-sgd", "rsa", "sgd", "trimmed-mean"]
ATTACKS = ["none", "infinite", "sign-flip:factor=-2"]
PARTITIONS = ["iid", "by-label"]
BASE = ["compare", "--data", "digits", "--workers", "10", "--byzantine", "3", "--rounds", "4", "--eval-every", "2"]
SWEEP = ["--method", *METHODS, "--attack", *ATTACKS, "--partition", *PARTITIONS]


def compared(out: Path, *argv: str) -> Ended:
    return command_into(out, *BASE, "--jobs", "1", *argv)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return compared(tmp_path_factory.mktemp("full") / "out", *SWEEP, "--json")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A problem without classes, named Byzantine workers, and nobody who reads JSON."""
    return compared(
        tmp_path_factory.mktemp("plain") / "out",
        *("--problem", "least-squares", "--rate", "1e-9", "--attack", "none", "infinite", "--byzantine", "1,2,3"),
    )


def test_json_is_one_object_on_stdout(full: Ended) -> None:
    assert full.status == 0
    assert full.stdout.count("\n") == 1
    assert strict(full.stdout) == full.results


def named(entry: Any) -> tuple[str, str, str]:
    return entry["partition"], entry["attack"], entry["method"]


def test_results_hold_every_combination_in_order(full: Ended) -> None:
    runs = full.results["runs"]
    assert [named(entry) for entry in runs] == [
        (partition, attack, method) for partition in PARTITIONS for attack in ATTACKS for method in METHODS
    ]
    for entry in runs:
        assert {"accuracy", "loss", "variance", "rounds", "seconds", "diverged", "bytes_up", "history"} <= set(entry)


def test_results_are_those_of_single_runs(full: Ended) -> None:
    spec = Spec(
        data="digits", method="rsa", workers=10, byzantine=3, rounds=4, eval_every=2, attack="sign-flip:factor=-2"
    )
    (entry,) = [found for found in full.results["runs"] if named(found) == ("iid", "sign-flip:factor=-2", "rsa")]
    assert entry["history"] == run(spec).to_json()["history"]


def test_the_table_has_every_method_attack_and_value(full: Ended) -> None:
    assert "\x1b" not in full.stderr
    for method in METHODS:
        assert all(part in full.stderr for part in method.split("-"))
    for partition in PARTITIONS:
        assert f"digits, {partition}: 10 workers" in full.stderr
    for entry in full.results["runs"]:
        shown = "diverged" if entry["accuracy"] is None else f"{entry['accuracy']:.3f}"
        rows = [line.split() for line in full.stderr.splitlines() if line.split()[:1] == [entry["attack"]]]
        assert len(rows) == len(PARTITIONS)
        assert any(shown in row for row in rows)


def test_equal_runs_are_told_once(full: Ended) -> None:
    # of two partitions, ideal SGD runs once each; the other three methods under three attacks each
    told = [line.split() for line in full.stderr.splitlines() if line.split()[:1] in (["iid"], ["by-label"])]
    assert len(told) == 2 * (1 + 3 * 3)


def test_divergence_is_told_and_nothing_is_nan(full: Ended) -> None:
    diverged = [entry for entry in full.results["runs"] if entry["diverged"] is not None]
    assert [(entry["attack"], entry["method"]) for entry in diverged] == [("infinite", "sgd")] * 2
    assert "diverged" in full.stderr
    assert "nan" not in full.stderr.lower()


def test_the_page_lies_next_to_the_results(full: Ended) -> None:
    assert {path.name for path in full.out.iterdir()} >= {"report.html", "results.json"}
    assert f"{full.out / 'report.html'}" in full.stderr
    html = (full.out / "report.html").read_text()
    assert html.count('<figure class="chart ') == 2 * len(PARTITIONS) + 1  # and who holds what
    for entry in full.results["runs"]:
        if entry["accuracy"] is not None:
            assert f">{entry['accuracy']:.3f}<" in html, entry["method"]


def test_without_json_the_table_is_on_stdout(plain: Ended) -> None:
    assert plain.status == 0
    assert plain.stderr == ""
    assert "digits, iid: 10 workers, 3 of them Byzantine under attack, 4 rounds" in " ".join(plain.stdout.split())
    assert str(plain.out / "report.html") in plain.stdout


def test_a_problem_without_classes_has_not_diverged_for_it(plain: Ended) -> None:
    entries = {(entry["attack"], entry["method"]): entry for entry in plain.results["runs"]}
    assert entries["none", "rsa"]["diverged"] is None
    assert entries["none", "rsa"]["loss"] > 0
    finite = [line for line in plain.stdout.splitlines() if line.startswith("iid  none  ")]
    assert len(finite) == 3
    assert not any("diverged" in line for line in finite)
    assert any("diverged" in line for line in plain.stdout.splitlines() if line.startswith("iid  infinite  sgd"))


def test_named_workers_are_byzantine_only_under_attack(plain: Ended) -> None:
    entries = {(entry["attack"], entry["method"]): entry for entry in plain.results["runs"]}
    assert set(entries) == {
        (attack, method)
        for attack in ("none", "infinite")
        for method in (method_name(make_method(DEFAULT)), "rsa", "sgd")
    }
    for (attack, _), entry in entries.items():
        assert entry["spec"]["attack"]["byzantine"] == (0 if attack == "none" else [1, 2, 3])


def test_without_out_a_folder_under_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.toml").write_text('data = "digits"\n[training]\nrounds = 2\nseed = 3\n')
    status, stdout, _ = command("compare", "spec.toml", "--jobs", "1", "--method", "rsa")
    assert status == 0
    (folder,) = Path("runs").iterdir()
    assert folder.name.endswith("-compare")
    assert str(folder) in stdout
    assert (folder / "report.html").is_file()
    (entry,) = strict((folder / "results.json").read_text())["runs"]
    assert entry["history"] == run(Spec(data="digits", method="rsa", rounds=2, seed=3)).to_json()["history"]


def test_a_spec_file_may_name_what_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        '[data]\nname = "digits"\npartition = "by-label"\n[method]\nname = "median"\n[training]\nrounds = 2\n'
    )
    assert main(["compare", str(spec), "--jobs", "1", "--json", "--out", str(tmp_path / "out")]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(run["partition"], run["attack"], run["method"]) for run in runs] == [("by-label", "none", "median")]


def test_an_attack_none_in_a_file_makes_nobody_byzantine(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text('data = "digits"\n[attack]\nname = "none"\nbyzantine = 3\n')
    argv = ("compare", str(tmp_path / "spec.toml"), "--rounds", "2", "--jobs", "1")
    (entry,) = command_into(tmp_path / "out", *argv, "--method", "krum").results["runs"]
    assert (entry["spec"]["attack"]["byzantine"], entry["spec"]["attack"]["declared"]) == (0, 3), "as in run"


def test_methods_of_one_name_are_told_apart_by_their_options(tmp_path: Path) -> None:
    methods = ["rsa", "rsa:norm=1", "nnm+trimmed-mean", "trimmed-mean"]
    ended = compared(tmp_path / "out", "--method", *methods, "--attack", "gaussian")
    assert ended.status == 0
    runs = ended.results["runs"]
    labels = ["rsa:norm=2", "rsa:norm=1", *methods[2:]]
    assert [entry["method"] for entry in runs] == labels
    assert ended.results["title"] == "rsa:norm=2, rsa:norm=1, nnm+trimmed-mean, trimmed-mean on digits"
    lines = [line.split() for line in ended.stdout.splitlines() if line.startswith("iid  gaussian  ")]
    assert [line[2] for line in lines] == labels
    page = (tmp_path / "out" / "report.html").read_text()
    assert all(label in page for label in labels)
    for entry, method in zip(runs, methods, strict=True):
        base = Spec(data="digits", workers=10, byzantine=3, rounds=4, eval_every=2, attack="gaussian")
        assert Spec.of_tables(entry["spec"]) == ready(replace(base, method=method))


def test_a_comparison_on_another_engine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text('data = "digits"\n[engine]\nname = "ray"\nshards = 2\n')
    refused = command("compare", str(tmp_path / "spec.toml"), "--out", str(tmp_path / "out"))
    assert refused.status == 2
    assert "a comparison spreads its runs over the cores itself" in refused.stderr
    assert refused.stderr.count("\n") == 1
