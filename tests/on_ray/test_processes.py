"""The command, with Ray of its own or a cluster: killed, interrupted, resumed; and nothing is left behind."""

import os
import signal
import socket
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray")
from terminal import assert_gone, command, flags, interrupted, new_mark, wait_for

from holdfast.engines.engine_options import Ray
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LONG = Spec(
    data="digits", workers=10, rounds=1500, eval_every=250, checkpoint_every=25, batch=8, method="rsa:messages=bits"
)


def test_killed_then_interrupted_then_done(tmp_path: Path) -> None:
    """`kill -9` of the master, Ctrl-C of all that resumes it, then the end: the bits of the simulation."""
    folder, mark = tmp_path / "run", new_mark()
    checkpoint = folder / "checkpoint.npz"
    master = command(mark, *flags(replace(LONG, engine=Ray(shards=2)), folder))
    wait_for(checkpoint)
    os.kill(master.pid, signal.SIGKILL)
    master.communicate()
    assert_gone(mark)

    killed = checkpoint.stat().st_mtime
    again = command(mark, "resume", str(folder))
    wait_for(checkpoint, newer_than=killed)
    _, said = interrupted(again)
    assert again.returncode == 130, said
    assert f"resume with: holdfast resume {folder}" in said
    assert_gone(mark)

    last = command(mark, "resume", str(folder))
    said, _ = last.communicate(timeout=120)
    assert last.returncode == 0, said
    assert "after 1500 rounds" in said
    assert_gone(mark)
    expected = run(LONG)
    assert np.load(folder / "model.npy").tobytes() == expected.model.tobytes()
    assert [path.name for path in folder.glob(".*")] == [".lock"]


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    mark = new_mark()
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    failed = command(mark, *flags(replace(LONG, engine=Ray(address=address)), tmp_path / "run"))
    said, _ = failed.communicate(timeout=120)
    assert failed.returncode == 2, said
    assert f"--address must be HOST:PORT of a running Ray cluster; got {address}" in said
    assert "Traceback" not in said
    assert_gone(mark)
