"""Runs in other processes: what goes wrong there reaches the caller, and nobody is left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.context import SpawnContext
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import outsiders
from changed import ready
from holdfast.attacks import SameValue
from holdfast.errors import InvalidInput
from holdfast.problems import Softmax
from holdfast.runs.plan import drop_ignored
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.studies import study as comparison
from holdfast.studies import study as gathering
from holdfast.studies.comparison import compare
from holdfast.studies.pool import play
from holdfast.studies.study import check_all
from holdfast.typing import Rows, Vector

BASE = Spec(data="digits", workers=6, rounds=5, eval_every=5, batch=4)
LONG = replace(BASE, rounds=10**6, eval_every=10**6)

pytestmark = pytest.mark.usefixtures("compiled")


@dataclass(frozen=True)
class Breaks:
    """A rule that is fine until it sees a real gradient."""

    def __call__(self, rows: Rows) -> Vector:
        if rows.shape[1] > 2:
            raise KeyError("broken on purpose")
        vector: Vector = rows[0]
        return vector


@dataclass(frozen=True)
class Dies:
    """A rule that takes its process with it."""

    def __call__(self, rows: Rows) -> Vector:
        if rows.shape[1] > 2:
            os._exit(7)
        vector: Vector = rows[0]
        return vector


def all_ready(specs: Sequence[Spec]) -> list[Spec]:
    return [drop_ignored(ready(spec)) for spec in specs]


# -- what goes wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_in_a_run_reaches_the_caller_and_ends_the_rest(jobs: int) -> None:
    """The other run would take hours."""
    begun = time.monotonic()
    order = [replace(BASE, method=Breaks()), LONG] if jobs == 1 else [LONG, replace(BASE, method=Breaks())]
    with pytest.raises(KeyError, match="broken on purpose"):
        play(all_ready(order), jobs, lambda _: None)
    assert time.monotonic() - begun < 60
    assert children() == []


def test_a_process_that_dies_is_one_line() -> None:
    with pytest.raises(InvalidInput, match=r"which must be able to start: .*got a process that ended with status 7"):
        play(all_ready([replace(BASE, method=Dies())]), 1, lambda _: None)
    assert children() == []


def test_a_run_that_fails_in_a_comparison_is_one_result_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes that start as they do for users, not in those that tests fork."""
    monkeypatch.setattr(multiprocessing, "get_context", lambda method: SpawnContext())
    specs = [replace(BASE, method=method) for method in (Breaks(), "median", Dies(), "rsa")]
    results = compare(specs, jobs=1)
    assert [run.failed for run in results] == [
        "KeyError: 'broken on purpose'",
        None,
        "its process ended with status 7",
        None,
    ]
    assert [run.last is None for run in results] == [True, False, True, False]
    assert str(results).count("failed") == 2
    assert [row["failed"] for row in results.rows()] == [1, 0, 1, 0]
    assert children() == []


def test_what_the_caller_raises_ends_the_rest() -> None:
    def finished(result: Result, name: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        compare([BASE, LONG], jobs=2, finished=finished)
    assert children() == []


def children() -> list[str]:
    """Return the processes of the pool that are still there; what tracks resources, and what forks, stay on."""
    own = started_by(os.getpid())
    forked = [child for process, line in own.items() if "forkserver" in line for child in started_by(process).values()]
    return [line for line in own.values() if "spawn_main" in line] + forked


def started_by(process: int) -> dict[int, str]:
    """Return the command lines of the processes that a process started, where the system tells them."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    numbers = listed.read_text().split() if listed.exists() else []
    paths = {int(child): Path(f"/proc/{child}/cmdline") for child in numbers}
    return {child: path.read_text() for child, path in paths.items() if path.exists()}


# -- scripts ---------------------------------------------------------------------------------------------------

UNGUARDED = """
import holdfast as hf
try:
    hf.compare([hf.Spec(data="digits", rounds=5)], jobs=1)
except hf.InvalidInput as error:
    print(error)
"""
COMPARES = """
import holdfast as hf
if __name__ == "__main__":
    specs = [hf.Spec(data="digits", rounds=5), hf.Spec(data="digits", rounds=10**7, eval_every=10**7)]
    hf.compare(specs, jobs=2, finished=lambda result, name: print("one is over", flush=True))
"""


def start(script: str, folder: Path) -> "subprocess.Popen[str]":
    """Start a script as a shell would: in a group of its own, which Ctrl-C reaches as a whole."""
    (folder / "script.py").write_text(script)
    command = [sys.executable, str(folder / "script.py")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def gone(group: int, within: float = 30.0) -> bool:
    """Return whether every process of a group ends soon."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    os.killpg(group, signal.SIGKILL)
    return False


def test_a_script_without_a_guard_gets_one_line(tmp_path: Path) -> None:
    process = start(UNGUARDED, tmp_path)
    printed, complaints = process.communicate(timeout=60)
    assert printed.count("\n") == 1
    assert printed.startswith(
        "runs go to other processes, which must be able to start: a script that compares needs `if"
    )
    assert complaints == ""
    assert process.returncode == 0
    assert gone(process.pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_no_process_outlives_the_script(number: int, tmp_path: Path) -> None:
    """Ctrl-C goes to the whole group; kill -9 to the parent alone, whom the others then follow."""
    process = start(COMPARES, tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "one is over\n"
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.kill()
    _, complaints = process.communicate(timeout=60)
    assert gone(process.pid)
    assert process.returncode in (-number, 1, 130)
    assert complaints.count("Traceback") == (1 if number == signal.SIGINT else 0)  # the script's own, of nobody else


# -- what is known before --------------------------------------------------------------------------------------


@pytest.fixture
def built() -> "list[Spec]":
    """The specs whose problem was built while a comparison was checked."""
    return []


def counted(built: list[Spec]) -> "mock._patch[mock.Mock]":
    def build(spec: Spec) -> object:
        built.append(spec)
        return whole(spec)

    whole = SHARED.build
    return mock.patch.object(SHARED, "build", side_effect=build)


def test_a_comparison_is_checked_without_assembling_each_run(built: list[Spec]) -> None:
    """One problem for each kind of data and partition; no engine is made."""
    specs = comparison.grid(
        replace(BASE, byzantine=1), ["rsa", "krum", "median", "rsa:norm=1"], ["none", "gaussian"], ["iid", "by-label"]
    )
    numbered = all_ready(specs)
    with counted(built), mock.patch("holdfast.runs.experiment.assemble", side_effect=AssertionError):
        check_all(numbered)
    assert len(specs) == 16
    assert [spec.partition_text for spec in built] == ["iid", "by-label"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "krum", "declared": 4}, "Krum needs n >= byzantine"),
        ({"method": "nnm+median", "declared": 3}, r"NearestNeighbourMixing needs n > 2 \* byzantine"),
        ({"method": "bucketing:size=3+krum", "declared": 1}, "Krum needs n >= byzantine"),
        ({"method": "krum", "declared": 1, "participation": 0.5}, "Krum needs n >= byzantine .*got n=3"),
        ({"method": outsiders.first_row, "attack": "duplicate:worker=6", "byzantine": 1}, "an honest worker to copy"),
        ({"method": "rsa:penalty=inf"}, "penalty must be at least 0 and finite; got inf"),
        ({"rate": 0.0}, "rate must be positive and finite; got 0.0"),
        ({"l2": float("inf")}, "l2 must be at least 0 and finite; got inf"),
        ({"schedule": "theorem2", "method": "krum"}, "theorem2 is a step size of rsa and ideal-rsa; got method=krum"),
        ({"schedule": "theorem2", "rate": 1e9, "problem": "least-squares"}, "theorem2|Theorem 2"),
        ({"data": "digit"}, "unknown data set 'digit'"),
        ({"workers": 2000}, "workers must be at most the 1438 training samples; got 2000"),
        ({"problem": "logistic"}, "2 classes"),
        ({"method": lambda rows: rows[0]}, "compare sends runs to other processes, which must know method; got"),
        ({"engine": "ray"}, "a comparison spreads its runs over the cores itself, with engine simulated; got another"),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_what_cannot_work_is_refused_before_the_first_run(changes: dict[str, object], message: str) -> None:
    never = mock.patch.object(gathering, "play", side_effect=AssertionError("something ran"))
    with never, pytest.raises(InvalidInput, match=message):
        compare([BASE, replace(BASE, **changes)], jobs=1)  # type: ignore[arg-type]


def test_specs_that_equal_only_themselves_come_back() -> None:
    """NaN and data sets do not equal their copies from another process."""
    specs = all_ready([replace(BASE, attack=SameValue(np.nan), byzantine=1), replace(BASE, data=outsiders.squares())])
    arrived: list[Result] = []
    play(specs, 2, arrived.append)
    assert {id(result.spec) for result in arrived} == {id(spec) for spec in specs}


def test_problems_made_in_python_can_be_compared() -> None:
    from holdfast.data import Iid, load

    problem = Softmax.of(load("digits"), Iid(), workers=6, batch=4, scale=16.0)
    specs = [replace(BASE, problem=problem, method=method) for method in ("rsa", "median")]
    for spec, found in zip(specs, compare(specs, jobs=2), strict=True):
        assert found.model.tobytes() == run(spec).model.tobytes()
