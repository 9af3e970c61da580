"""`holdfast reproduce` from end to end on digits; killed in the middle it is resumed and ends the same."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import command

from holdfast.studies.paper import rate_search as search
from holdfast.studies.paper.figures import figure
from holdfast.studies.paper.rates import Rates, load_rates

QUICK = ["reproduce", "no-attack", "--data", "digits", "--quick", "--jobs", "1"]


def timeless(out: Path) -> Any:
    """Return the results without what differs from time to time."""

    def curves(results: Any) -> Iterator[Any]:
        return (curve for each in results["figures"] for panel in each["panels"] for curve in panel["curves"])

    results = json.loads((out / "results.json").read_text())
    for curve in curves(results):
        del curve["milliseconds"]
    return results


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    out = tmp_path_factory.mktemp("whole") / "out"
    status, stdout, stderr = command("reproduce", "runtime", *QUICK[1:], "--json", "--out", str(out))
    assert status == 0
    return out, stdout, stderr


def test_it_ends_with_charts_results_and_tables(whole: tuple[Path, str, str]) -> None:
    out, stdout, stderr = whole
    names = {f"{figure}.{kind}" for figure in ("no-attack", "runtime") for kind in ("png", "svg", "pdf")}
    assert {path.name for path in (out / "reproduction").iterdir()} == names
    written = {"reproduction.md", "report.html", "results.json", "table.csv", "verdicts.toml"}
    assert {path.name for path in out.iterdir()} == written | {"runs", "timings", "reproduction", ".lock"}
    results = json.loads(stdout)
    assert results == json.loads((out / "results.json").read_text())
    times, quiet = results["figures"]
    assert (results["quick"], quiet["quick"], quiet["figure"], times["figure"]) == (True, True, "no-attack", "runtime")
    (panel,) = quiet["panels"]
    assert [curve["label"] for curve in panel["curves"]] == ["Ideal SGD", "RSA", "GeoMed", "Krum", "Median", "SGD"]
    assert all(curve["accuracy"] > 0.8 and curve["seeds"] == [0] for curve in panel["curves"])
    assert all(curve["milliseconds"] > 0 for curve in times["panels"][0]["curves"])
    assert "Without Byzantine attacks (QUICK, not the paper's: digits, 1000 rounds, seeds: 1)" in stderr
    for curve in panel["curves"]:
        assert [curve["label"], f"{curve['accuracy']:.3f}"] in [line.rsplit(maxsplit=1) for line in clean(stderr)]
    claims = {claim["claim"]: claim["verdict"] for claim in results["claims"]}
    assert claims["no-attack: RSA close to Ideal SGD"] == "holds"
    assert not any(name.startswith("heterogeneous") for name in claims), "its figure was not run"
    assert stderr.count("6/6  ") == 2, "the runs, then the timed ones"
    assert "0 s left" in stderr


def clean(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.split()]


def test_runs_that_are_there_are_not_lost(whole: tuple[Path, str, str]) -> None:
    out, *_ = whole
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    status, _, stderr = command(*QUICK, "--out", str(out))
    assert status == 2
    assert stderr == f"holdfast: --out must hold no runs unless --resume is given; got {out}, which holds some\n"
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["gausian"],
            "unknown figure 'gausian' (did you mean 'gaussian'?); known: no-attack, same-value",
        ),
        (["--seeds", "0"], "seeds must be at least 1; got 0"),
        (["--jobs", "0"], "jobs must be at least 1; got 0"),
        (["--resume"], "--resume needs the folder of earlier runs; got --out None"),
        (["--rates", "nowhere.toml"], "rates must be in a readable file; got nowhere.toml"),
        (["norms", "--search"], "a search needs a figure whose step sizes are tuned"),
    ],
)
def test_what_cannot_work_is_one_line(
    argv: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, stderr = command("reproduce", "--data", "digits", "--quick", *argv)
    assert status == 2
    assert stderr.startswith(f"holdfast: {message}")
    assert stderr.count("\n") == 1


def ended_midway(out: Path, number: int, *, finished: int) -> tuple[int, str]:
    """Start the command and end it by a signal once so many runs are stored; nobody outlives it."""
    argv = [sys.executable, "-m", "holdfast", *QUICK, "--out", str(out)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + 60
    while len(list(out.glob("runs/*.json"))) < finished and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, number)
    printed, _ = process.communicate(timeout=30)  # ends when all who hold the pipe have ended, the children too
    return process.returncode, printed


def test_interrupted_it_says_how_to_resume(tmp_path: Path) -> None:
    status, printed = ended_midway(tmp_path / "out", signal.SIGINT, finished=1)
    assert status == 130
    assert printed.endswith(f"resume with the same command and: --out {tmp_path / 'out'} --resume\n")
    assert "Traceback" not in printed


def test_killed_in_the_middle_it_goes_on_to_the_same_findings(tmp_path: Path, whole: tuple[Path, str, str]) -> None:
    out = tmp_path / "out"
    status, _ = ended_midway(out, signal.SIGKILL, finished=2)
    assert status == -signal.SIGKILL
    stored = {path: path.stat().st_mtime_ns for path in out.glob("runs/*.json")}
    assert 2 <= len(stored) < 6
    assert not (out / "results.json").exists()
    torn = min(stored)
    torn.write_text(torn.read_text()[:200])
    del stored[torn]

    status, stdout, _ = command(*QUICK, "--out", str(out), "--resume")
    assert status == 0
    assert f"{torn} is not used, its run is repeated: " in stdout
    played = [line for line in stdout.splitlines() if line.endswith(" s left")]
    assert len(played) == 6 - len(stored), "what was finished is not repeated"
    assert {path: path.stat().st_mtime_ns for path in stored} == stored
    assert timeless(out)["figures"] == timeless(whole[0])["figures"][1:]


def test_a_search_writes_rates_that_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "GRID", (1e-7, 1e-4))
    monkeypatch.setattr(search, "COARSE", (0, 1))
    monkeypatch.setattr(search, "SEEDS", (1000,))
    out = tmp_path / "searched"
    status, stdout, _ = command(*QUICK, "--search", "--out", str(out))
    assert status == 0
    assert f"--rates {out / 'rates.toml'}" in stdout
    found = Rates.read(out / "rates.toml")
    assert (found.data, found.rounds, found.coarse_rounds, found.seeds) == ("digits", 1000, 200, (1000,))
    krum = found.settings["iid, no attack, krum"]
    assert [trial.rate for trial in krum.fine] == [1e-7, 1e-4]
    assert figure("no-attack", found).panels[0].curves[3].spec.rate == krum.rate
    assert found.settings["by-label, no attack, ideal-sgd"] == load_rates().settings["by-label, no attack, ideal-sgd"]


def test_a_verdict_that_is_not_the_one_on_record_ends_with_status_1(whole: tuple[Path, str, str]) -> None:
    out, *_ = whole
    again = (*QUICK, "--out", str(out), "--resume", "--expect")
    status, stdout, _ = command(*again, str(out / "verdicts.toml"))
    assert (status, "all verdicts are those of" in stdout) == (0, True)
    changed = out.with_name("changed.toml")
    changed.write_text((out / "verdicts.toml").read_text().replace('= "holds"', '= "does not hold"', 1))
    status, stdout, _ = command(*again, str(changed))
    assert status == 1
    assert "1 verdicts differ from" in stdout
