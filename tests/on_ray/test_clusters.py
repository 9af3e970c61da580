"""Runs on a cluster that has two machines, is busy, or loses one: what is waited for is said, Ctrl-C obeyed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

pytest.importorskip("ray")
from terminal import (
    assert_gone,
    cluster,
    command,
    flags,
    heard,
    interrupted,
    new_mark,
    node,
    wait_until,
    with_mark,
)

from holdfast.engines.engine_options import Ray
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SPEC = Spec(data="digits", workers=10, rounds=3000, eval_every=1000, checkpoint_every=50, batch=8, method="rsa")
OBEYED = 15.0
"""Seconds within which Ctrl-C is obeyed on a machine that is busy with tests; alone it takes about one."""
HOLD = """
import sys, time
import ray
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="error")
class Holder:
    def ready(self):
        return 1
holder = ray.remote(num_cpus=1)(Holder).remote()
ray.get(holder.ready.remote())
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    mark = new_mark()
    with cluster(mark) as address:
        yield address
    assert_gone(mark)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The model of the run that nothing happened to, in one process."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(SPEC, folder)
    return (folder / "model.npy").read_bytes()


@contextmanager
def somebody_else(address: str) -> Iterator[None]:
    """Have the cluster's processor taken by another program."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, address], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield
    finally:
        holder.kill()
        holder.communicate()


def test_a_busy_cluster_is_said_and_ctrl_c_is_obeyed_at_once(address: str, expected: bytes, tmp_path: Path) -> None:
    mark, out = new_mark(), tmp_path / "run"
    with somebody_else(address):
        waiting = command(mark, *flags(replace(SPEC, engine=Ray(shards=1, address=address)), out))
        heard(waiting, "waiting for workers 1 to 10 to start: 0 of the cluster's 1 processors free, 1 needed in all")
        seconds, said = interrupted(waiting)
        assert waiting.returncode == 130, said
        assert f"resume with: holdfast resume {out}" in said
        assert seconds < OBEYED
    again = command(mark, "resume", str(out))  # the processor is free again
    said, _ = again.communicate(timeout=120)
    assert again.returncode == 0, said
    assert (out / "model.npy").read_bytes() == expected
    assert_gone(mark)


def test_two_machines_learn_what_one_process_learns(address: str, expected: bytes, tmp_path: Path) -> None:
    mark = new_mark()
    with node(mark, f"--address={address}"):
        playing, out = started_on_two(mark, replace(SPEC, engine=Ray(shards=2, address=address)), tmp_path)
        said, _ = playing.communicate(timeout=120)
        assert playing.returncode == 0, said
    assert (out / "model.npy").read_bytes() == expected
    assert_gone(mark)


def test_a_run_that_lost_a_machine_says_how_to_go_on_and_that_works(
    address: str, expected: bytes, tmp_path: Path
) -> None:
    """All processes of the second machine end at once, as when its power fails; its workers have nowhere to go."""
    mark, lost = new_mark(), new_mark()
    with node(lost, f"--address={address}"):
        playing, out = started_on_two(mark, replace(SPEC, engine=Ray(shards=2, address=address)), tmp_path)
        for process in with_mark(lost):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        why = "0 of the cluster's 1 processors free, 2 needed in all"  # once Ray has noticed; before, it has two
        line = heard(playing, why).splitlines()[-1]
        assert re.match(r"warning: waiting for workers \d+ to \d+ to be ready again: ", line)
        assert line.endswith("; where there are too few, resume with --shards 1 or --engine simulated")
        seconds, said = interrupted(playing)
        assert playing.returncode == 130, said
        assert seconds < OBEYED
        assert f"resume with: holdfast resume {out}, or in this process alone" in said
        for number, words in enumerate((["--shards", "1"], ["--engine", "simulated"])):
            copy = copytree(out, tmp_path / f"copy-{number}")
            again = command(mark, "resume", str(copy), *words)
            told, _ = again.communicate(timeout=120)
            assert again.returncode == 0, told
            assert (copy / "model.npy").read_bytes() == expected
    assert_gone(mark)


def started_on_two(mark: str, spec: Spec, folder: Path) -> tuple["subprocess.Popen[str]", Path]:
    """Return a run on two nodes that has saved a checkpoint; as long as one of them is on its way, it is refused."""
    for attempt in range(20):
        out = folder / f"run-{attempt}"
        playing, checkpoint = command(mark, *flags(spec, out)), out / "checkpoint.npz"
        wait_until(lambda: checkpoint.exists() or playing.poll() is not None, "nothing happened")  # noqa: B023
        if playing.poll() is None:
            return playing, out
        said, _ = playing.communicate()
        assert "shards must be at most the 1 processors of the cluster; got 2" in said, said
        time.sleep(1)
    raise AssertionError("the second node did not come")
