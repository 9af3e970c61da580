"""Parts die, stall and come back; the run goes on, stops with a word, or ends as if nothing had been."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from changed import ready
from holdfast.engines.engine_options import InProcess, Ray
from holdfast.errors import InvalidInput
from holdfast.runs.experiment import Experiment, assemble
from holdfast.runs.folder.checkpoint import Checkpoint
from holdfast.runs.observers import Interrupted, LoggingObserver
from holdfast.runs.plan import Plan, remake_plan
from holdfast.runs.records import Result
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec

pytest.importorskip("ray")
pytest_plugins = ["warm"]
pytestmark = [
    pytest.mark.usefixtures("ray"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SPEC = Spec(
    data="digits", method="rsa", workers=10, rounds=60, eval_every=20, checkpoint_every=25, batch=8, byzantine=3,
    attack="gaussian", engine=Ray(shards=2),
)  # fmt: skip
RSA = {"full": "rsa", "bits": "rsa:messages=bits", "sides": "watchful-rsa:messages=bits"}
SOON = Ray(shards=2, round_timeout=0.7)
Act = Callable[[list[int]], None]


class Saboteur(LoggingObserver):
    """Does something to the shards' processes after some rounds."""

    def __init__(self, acts: dict[int, Act]) -> None:
        self.acts, self.processes, self.engine = acts, list[int](), None

    def count(self, round: int) -> None:
        if round == 1:
            self.processes = self.engine.processes()  # type: ignore[attr-defined]
        if round in self.acts:
            self.acts[round](self.processes)


@pytest.fixture
def sabotaged(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return what runs a spec while somebody does things to its processes."""

    def play(spec: Spec, acts: dict[int, Act], folder: Path | None = None) -> Result:
        saboteur = Saboteur(acts)

        def watched(plan: Plan) -> Experiment:
            experiment = assemble(plan)
            saboteur.engine = experiment.engine  # type: ignore[assignment]
            return experiment

        monkeypatch.setattr(sys.modules["holdfast.runs.runner"], "assemble", watched)
        return run(spec, folder, saboteur)

    return play


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Result]:
    return {messages: run(replace(SPEC, engine=InProcess(), method=RSA[messages])) for messages in RSA}


def kill(which: int) -> Act:
    return lambda processes: os.kill(processes[which], signal.SIGKILL)


@pytest.mark.parametrize("messages", RSA)
def test_a_killed_shard_is_replaced_and_the_run_ends_as_if_it_had_lived(
    sabotaged: Callable[..., Result], undisturbed: dict[str, Result], messages: str, tmp_path: Path
) -> None:
    """Once before anything was kept, once after the checkpoint of round 25: from what was kept, rounds are replayed."""
    result = sabotaged(replace(SPEC, method=RSA[messages]), {7: kill(0), 33: kill(1)}, tmp_path / "run")
    assert result.model.tobytes() == undisturbed[messages].model.tobytes()
    assert result.history == undisturbed[messages].history
    assert result.absent == 0


def test_shards_killed_in_the_middle_of_a_round(
    sabotaged: Callable[..., Result], undisturbed: dict[str, Result]
) -> None:
    def soon(processes: list[int]) -> None:
        for which, seconds in ((0, 0.004), (1, 0.011)):
            threading.Timer(seconds, kill(which), [processes]).start()

    result = sabotaged(replace(SPEC, method=RSA["bits"]), {30: soon})
    assert result.model.tobytes() == undisturbed["bits"].model.tobytes()
    assert result.history == undisturbed["bits"].history


@pytest.mark.parametrize("method", [RSA["bits"], RSA["sides"], "krum", "trimmed-mean"])
def test_a_round_goes_on_without_who_is_late_and_with_who_comes_back(
    sabotaged: Callable[..., Result], method: str
) -> None:
    """Workers 6 to 10 stand still for three rounds. Krum and the trimmed mean are told q = 1: 5 answers are enough."""

    def stop(processes: list[int]) -> None:
        os.kill(processes[1], signal.SIGSTOP)

    def go(processes: list[int]) -> None:
        os.kill(processes[1], signal.SIGCONT)
        time.sleep(0.5)  # until the late answer is there

    spec = replace(SPEC, method=method, engine=SOON, declared=1, byzantine=2, rounds=20)
    result = sabotaged(spec, {5: stop, 8: go})
    assert result.rounds == 20
    assert result.diverged is None
    assert 15 <= result.absent <= 25  # three rounds of five workers; more if this machine is slow


def test_who_is_still_late_at_an_evaluation_is_replaced(sabotaged: Callable[..., Result]) -> None:
    def stop(processes: list[int]) -> None:
        os.kill(processes[0], signal.SIGSTOP)

    result = sabotaged(replace(SPEC, engine=SOON, rounds=24), {18: stop})
    assert result.rounds == 24
    assert 10 <= result.absent <= 20
    assert result.last is not None


def test_too_few_answers_stop_the_run_to_be_resumed(
    sabotaged: Callable[..., Result], undisturbed: dict[str, Result], tmp_path: Path
) -> None:
    stopped: list[int] = []

    def stop(processes: list[int]) -> None:
        stopped.append(processes[1])
        os.kill(processes[1], signal.SIGSTOP)

    spec = replace(SPEC, engine=replace(SOON, min_workers=6))
    folder = tmp_path / "run"
    with pytest.raises(Interrupted, match="round 31 needs answers of at least 6 workers; got 5") as raised:
        sabotaged(spec, {30: stop}, folder)
    assert raised.value.round == 30
    assert Checkpoint.of_bytes((folder / "checkpoint.npz").read_bytes()).round == 30
    result = resume(folder)
    assert result.model.tobytes() == undisturbed["full"].model.tobytes()
    assert not list(folder.glob(".*.part"))
    with pytest.raises(ProcessLookupError):  # the one that stood still is gone too
        wait_for_end(stopped[0])


def wait_for_end(process: int, seconds: float = 20.0) -> None:
    """Wait until a process is gone: then asking for it raises."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        os.kill(process, 0)
        time.sleep(0.1)


def test_a_shard_that_cannot_start_says_why(tmp_path: Path) -> None:
    """As on a machine that does not have the data."""
    path = tmp_path / "data.npz"
    np.savez(path, x=np.zeros((40, 3)), y=np.arange(40) % 2)
    engine = assemble(remake_plan(ready(replace(SPEC, data=str(path))))).engine
    path.unlink()
    with pytest.raises(InvalidInput, match=r"every shard must be able to start; got .*data\.npz"):
        engine.start()
