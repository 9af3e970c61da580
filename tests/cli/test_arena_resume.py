"""An arena that is killed or interrupted goes on where it was, to the results of one that never was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import Ended, command_into

from holdfast.runs.auto import resolve_auto
from holdfast.runs.spec import Spec
from holdfast.studies import auto_numbers as finding

ARENA = ["arena", "--workers", "9", "--rounds", "300", "--eval-every", "100", "--jobs", "1", "--partition", "iid",
         "--method", "rsa", "median", "krum", "--attack", "sign-flip", "outsiders:Broken",
         "--byzantine", "2"]  # fmt: skip
RUNS = 3 * (1 + 1)  # every method with nobody lying and under the attack that can be played

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return command_into(tmp_path_factory.mktemp("arena") / "whole", *ARENA)


def stopped_midway(out: Path, number: int) -> "subprocess.Popen[str]":
    """Start the command, and send a signal to it and its children as soon as the first run is kept."""
    command = [sys.executable, "-m", "holdfast", *ARENA, "--out", str(out)]
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), *sys.path])
    environment = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, env=environment
    )
    deadline = time.monotonic() + 120
    while not kept(out) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    os.killpg(process.pid, number)
    return process


def kept(out: Path) -> list[Path]:
    return sorted((out / "runs").glob("*.json"))


def failures(results: Any) -> dict[tuple[str, str], str]:
    return {
        (standing["method"], cell["attack"]): cell["failure"]
        for standing in results["standings"]
        for cell in standing["cells"]
        if "failure" in cell
    }


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_it_resumes_to_the_same_results_and_what_failed_stays_failed(whole: Ended, number: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = stopped_midway(out, number)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130), printed
    if number == signal.SIGINT:
        assert f"resume with the same command and: --out {out} --resume" in printed
    assert not (out / "results.json").exists()
    finished = {path: path.stat().st_mtime_ns for path in kept(out)}
    assert 1 <= len(finished) < RUNS, "it was stopped between the first run and the last"

    resumed = command_into(out, *ARENA, "--resume")
    assert resumed.status == 0, resumed.stderr
    assert len(kept(out)) == RUNS
    assert all(path.stat().st_mtime_ns == moment for path, moment in finished.items()), "finished runs are not repeated"
    assert resumed.results == whole.results
    assert failures(resumed.results) == dict.fromkeys(
        [(method, "outsiders:Broken") for method in ("rsa", "median", "krum")], "RuntimeError: nothing to send"
    )
    assert "RuntimeError: nothing to send" in (out / "report.html").read_text()


SHORT = ["arena", "--workers", "5", "--rounds", "4", "--eval-every", "4", "--jobs", "1", "--partition", "iid",
         "by-label", "--method", "rsa", "median", "--attack", "sign-flip", "--byzantine", "1"]  # fmt: skip


def test_what_was_found_by_rule_is_kept_and_a_torn_file_of_it_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, asked = tmp_path / "out", list[Spec]()

    def counting(spec: Spec) -> Spec:
        asked.append(spec)
        return resolve_auto(spec)

    monkeypatch.setattr(finding, "resolve_auto", counting)
    first = command_into(out, *SHORT, "--factors", "0.5", "1")
    assert first.status == 0, first.stderr
    numbers, found = (out / "auto.json").read_bytes(), [*asked]
    assert len({spec.data for spec in found}) == 2, "the tries are on other data"

    again = command_into(out, *SHORT, "--factors", "0.5", "1", "--resume")
    assert again.results == first.results
    assert asked == found, "nothing is found again"

    (out / "auto.json").write_bytes(numbers[:100])
    (out / ".auto.json.1.2.part").write_bytes(numbers[:50])  # of a writer that was killed
    anew = command_into(out, *SHORT, "--factors", "0.5", "1", "--resume")
    assert anew.results == first.results
    assert asked == found * 2
    assert (out / "auto.json").read_bytes() == numbers
    assert not list(out.glob(".auto*"))
