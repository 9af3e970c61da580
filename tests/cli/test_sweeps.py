"""`holdfast compare` over any field: seeds become means with errors, finished runs are kept, failures are cells."""

import json
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from commands import Ended, command, command_into

from strict_json import strict

BASE = ["compare", "--data", "digits", "--workers", "6", "--rounds", "4", "--eval-every", "2", "--jobs", "1"]
SWEEP = ["--method", "rsa:norm=1", "rsa:norm=2", "median", "--attack", "none", "sign-flip", "--byzantine", "1", "2",
         "--seed", "0", "1", "2"]  # fmt: skip


def compared(out: Path, *argv: str) -> Ended:
    return command_into(out, *BASE, *argv)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return compared(tmp_path_factory.mktemp("swept") / "out", *SWEEP, "--json")


def test_every_combination_runs_and_seeds_are_one_cell(swept: Ended) -> None:
    assert swept.status == 0, swept.stderr
    # three methods, three seeds: without attack, with 1 and with 2 Byzantine workers
    assert len(swept.results["runs"]) == 3 * 3 * 3
    cells = swept.results["cells"]
    assert [(cell["attack"], cell.get("byzantine"), cell["method"]) for cell in cells] == [
        (attack, byzantine, method)
        for attack, byzantine in (("none", None), ("sign-flip", "1"), ("sign-flip", "2"))
        for method in ("rsa:norm=1", "rsa:norm=2", "median")
    ]
    assert all(cell["seeds"] == [0, 1, 2] for cell in cells)


def of_cell(swept: Ended, cell: Any) -> list[Any]:
    """Return the runs of a cell."""
    byzantine = int(cell.get("byzantine", 0))
    return [
        run
        for run in swept.results["runs"]
        if (run["attack"], run["method"]) == (cell["attack"], cell["method"])
        and run["spec"]["attack"]["byzantine"] == byzantine
    ]


def test_a_cell_is_the_mean_of_its_runs_with_the_standard_error(swept: Ended) -> None:
    for cell in swept.results["cells"]:
        runs = of_cell(swept, cell)
        assert len(runs) == 3
        for name in ("accuracy", "loss", "variance", "distance"):
            values = [run[name] for run in runs]
            assert cell[name] == pytest.approx(fmean(values))
            assert cell[f"{name}_error"] == pytest.approx(stdev(values) / sqrt(3))
        assert f"{cell['accuracy']:.3f} ±{cell['accuracy_error']:.3f}" in swept.stderr


def test_the_page_has_means_and_bands(swept: Ended) -> None:
    html = (swept.out / "report.html").read_text()
    cell = swept.results["cells"][-1]
    assert f"{cell['accuracy']:.3f}\N{NO-BREAK SPACE}±{cell['accuracy_error']:.3f}" in html
    assert "mean of 3 seeds ± standard error" in html
    assert '"low":' in html.replace(" ", "")
    assert "sign-flip, byzantine 2" in html


def test_a_finished_folder_is_not_overwritten_and_resumes_without_a_run(swept: Ended) -> None:
    before = {path: path.read_bytes() for path in swept.out.rglob("*.json")}
    refused = compared(swept.out, *SWEEP, "--json")
    assert refused.status == 2
    assert "--out must hold no runs unless --resume is given" in refused.stderr
    assert {path: path.read_bytes() for path in swept.out.rglob("*.json")} == before
    again = compared(swept.out, *SWEEP, "--json", "--resume")
    assert again.status == 0
    # 27 runs, none of them new: all numbers are the same, times too
    assert strict(again.stdout) == json.loads(before[swept.out / "results.json"])
    assert {path: path.read_bytes() for path in (swept.out / "runs").glob("*.json")} == {
        path: content for path, content in before.items() if path.parent.name == "runs"
    }


def test_what_is_kept_is_not_run_again(tmp_path: Path) -> None:
    first = compared(tmp_path / "out", "--method", "rsa", "median", "--seed", "0", "1")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").iterdir()}
    lost = min(files)
    lost.unlink()
    again = compared(tmp_path / "out", "--method", "rsa", "median", "--seed", "0", "1", "--resume")
    assert (first.status, again.status) == (0, 0)
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").iterdir()}
    assert [path for path in after if after[path] != files[path]] == [lost]


@pytest.mark.parametrize("behind", [False, True], ids=["before the flags", "behind a flag of several values"])
def test_a_spec_file_is_told_by_its_ending(behind: bool, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('data = "digits"\n[training]\nrounds = 2\nbatch = 7\n')
    flags = ["--method", "rsa", "--jobs", "1", "--seed", "0", "1"]
    argv = [*flags, str(spec)] if behind else [str(spec), *flags]
    runs = command_into(tmp_path / "out", "compare", *argv).results["runs"]
    assert [(run["spec"]["training"]["seed"], run["spec"]["training"]["batch"]) for run in runs] == [(0, 7), (1, 7)]


def test_two_spec_files_are_refused() -> None:
    refused = command("compare", "a.toml", "--seed", "0", "b.toml")
    assert refused.status == 2
    assert "one spec file; got b.toml and a.toml" in refused.stderr


def test_several_data_sets_are_rows(tmp_path: Path) -> None:
    lines = [",".join(map(str, (i % 7, i % 3, (i * i) % 5, i % 2))) for i in range(60)]
    (tmp_path / "mine.csv").write_text("\n".join(lines) + "\n")
    mine = str(tmp_path / "mine.csv")
    ended = compared(tmp_path / "out", "--data", "digits", mine, "--method", "median")
    assert ended.status == 0, ended.stderr
    assert [cell["data"] for cell in ended.results["cells"]] == ["digits", mine]
    again = compared(tmp_path / "out", "--data", "digits", mine, "--method", "median", "--resume")
    assert again.results == ended.results


def test_a_run_that_fails_is_one_marked_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "breaking.py").write_text(
        "class Breaks:\n    def __call__(self, rows):\n        if rows.shape[1] > 2:\n"
        "            raise KeyError('on purpose')\n        return rows[0]\n"
    )
    ended = compared(tmp_path / "out", "--method", "median", "breaking:Breaks")
    assert ended.status == 1
    assert [cell["failed"] for cell in ended.results["cells"]] == [0, 1]
    assert "failed: iid  none  breaking:Breaks: KeyError: 'on purpose'" in ended.stdout
    assert ">failed</span></td>" in (tmp_path / "out" / "report.html").read_text()
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 1, "what failed is run again when it is resumed"


def test_quiet_tells_only_the_end(tmp_path: Path) -> None:
    quiet = compared(tmp_path / "one", "--method", "median", "--quiet")
    assert not any(line.startswith("iid  none  median") for line in quiet.stdout.splitlines())
    assert "page with the curves" in quiet.stdout
    silent = compared(tmp_path / "two", "--method", "median", "--quiet", "--json")
    assert (silent.stderr, silent.stdout.count("\n")) == ("", 1)
