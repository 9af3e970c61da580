"""What a trial is made of, without Flower: files, keys, refusals, and processes that are found and ended."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.federation.app_template import write_app
from holdfast.federation.federated_training import resolve_numbers
from holdfast.federation.tasks import linear_task
from holdfast.federation.trial import Trial, end_processes, find_processes, summarise_log
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


def started(home: Path, code: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"FLWR_HOME": str(home)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_family_is_found_by_its_home_and_ended_whatever_it_does(tmp_path: Path) -> None:
    ours = [started(tmp_path, STUBBORN), started(tmp_path, STUBBORN.replace("SIG_IGN", "SIG_DFL"))]
    stranger = started(tmp_path / "other", STUBBORN)
    try:
        assert find_processes(tmp_path) == sorted(process.pid for process in ours)
        assert end_processes(tmp_path) == 2
        assert find_processes(tmp_path) == []
        assert stranger.poll() is None
        assert end_processes(tmp_path) == 0
    finally:
        for process in [*ours, stranger]:
            process.kill()
            process.communicate()


def test_an_app_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(InvalidInput, match="a new federation needs a new or empty folder"):
        write_app(tmp_path, nodes=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": 4}, "a trial needs what holdfast federation init .* writes; got no ca.crt"),
        ({"nodes": 0}, "--nodes must be at least 1; got 0"),
        ({"byzantine": 4, "attack": "sign-flip"}, "--byzantine must be from 0 to 3, below --nodes; got 4"),
        ({"byzantine": 1}, "--byzantine and --attack go together; got one of them"),
        ({"byzantine": 1, "attack": "duplicate"}, "a node alone can only mount a LocalAttack; got duplicate"),
    ],
)
def test_what_cannot_work_is_said_first(options: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        Trial(tmp_path, **options)  # type: ignore[arg-type]


def test_a_node_has_its_own_samples_only() -> None:
    def samples(worker: int | None, workers: int) -> tuple[np.ndarray, np.ndarray]:
        assert worker in (None, 2)
        return np.arange(12.0).reshape(3, 2, 2), np.array([0, 1, 1])

    spec, task = fill_defaults(Spec(workers=3, batch=2)), linear_task("softmax", 2, samples)
    node, server = task(spec, 2), task(spec, None)
    assert node.dimension == server.dimension == 2 * 5
    assert node.oracle(np.array([2]))(node.start(), 0).shape == (1, 10)
    assert list(server.evaluate(server.start())) == ["accuracy"]
    assert dict(node.evaluate(node.start())) == {}
    assert np.array_equal(node.workers, [1, 2, 3])


def test_auto_is_refused_where_nobody_has_all_samples() -> None:
    spec, task = (
        fill_defaults(Spec(workers=3)),
        linear_task("softmax", 2, lambda worker, workers: (np.zeros((1, 2)), np.zeros(1))),
    )
    with pytest.raises(InvalidInput, match=r"a federation needs numbers, rsa:penalty=.*: auto asks all workers"):
        resolve_numbers(spec, task)


def test_more_nodes_than_keys_are_refused(tmp_path: Path) -> None:
    for name in ("ca.crt", "server.pem", "server.key", "worker-1", "worker-2"):
        (tmp_path / ".trial").mkdir(exist_ok=True)
        (tmp_path / ".trial" / name).touch()
    with pytest.raises(InvalidInput, match="--nodes must be at most 2, the keys in"):
        Trial(tmp_path, nodes=4)
    with pytest.raises(InvalidInput, match="writes; got no such folder"):
        Trial(tmp_path / "nowhere")


def test_the_reason_is_found_in_a_log() -> None:
    traceback = (
        "Traceback (most recent call last):\n  File x\nholdfast.errors.InvalidInput: unknown method 'rs'; known: rsa"
    )
    end = "\x1b[91mERROR \x1b[0m:     Exit Code: 201\n\nAn unhandled exception\n\nFor more information, visit: <x>"
    assert summarise_log(f"{traceback}\n{end}\n") == "holdfast.errors.InvalidInput: unknown method 'rs'; known: rsa"
    box = "╭─ Error ──────╮\n│ Invalid value │\n╰──────────────╯"
    assert summarise_log(box) == "Error Invalid value"
