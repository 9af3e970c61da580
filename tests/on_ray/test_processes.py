"""The command on Ray, from the outside: interrupted, killed, on a cluster; and nothing is left behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
import tomli_w

from holdfast.engines.options import InProcess, Ray
from holdfast.experiments import Spec, run

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LONG = Spec(
    data="digits", workers=10, rounds=1500, eval_every=250, checkpoint_every=25, batch=8, method="rsa:messages=bits"
)
MARK = "HOLDFAST_TEST_MARK"


def with_mark(mark: str) -> list[int]:
    """Return the processes that inherited this mark, whoever their parent is now."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def assert_gone(mark: str, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while with_mark(mark) and time.monotonic() < until:
        time.sleep(0.2)
    left = with_mark(mark)
    assert not left, [Path(f"/proc/{process}/cmdline").read_bytes() for process in left]


def command(mark: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start the command in a group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "holdfast", *arguments],
        env=os.environ | {MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def flags(spec: Spec, folder: Path) -> list[str]:
    path = folder.with_suffix(".toml")
    path.write_text(tomli_w.dumps(spec.tables()))  # with its engine, which to_toml leaves out
    return ["run", str(path), "--out", str(folder)]


def wait_for(path: Path, newer_than: float = 0.0, seconds: float = 90.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if path.exists() and path.stat().st_mtime > newer_than:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} did not come")


def test_killed_then_interrupted_then_done(tmp_path: Path) -> None:
    """`kill -9` of the master, Ctrl-C of all that resumes it, then the end: the bits of the simulation."""
    folder, mark = tmp_path / "run", uuid4().hex
    checkpoint = folder / "checkpoint.npz"
    master = command(mark, *flags(replace(LONG, engine=Ray(shards=2)), folder))
    wait_for(checkpoint)
    os.kill(master.pid, signal.SIGKILL)
    master.communicate()
    assert_gone(mark)

    killed = checkpoint.stat().st_mtime
    again = command(mark, "resume", str(folder))
    wait_for(checkpoint, newer_than=killed)
    os.killpg(again.pid, signal.SIGINT)
    said, _ = again.communicate(timeout=60)
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
    assert not list(folder.glob(".*"))


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    mark = uuid4().hex
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    failed = command(mark, *flags(replace(LONG, engine=Ray(address=address)), tmp_path / "run"))
    said, _ = failed.communicate(timeout=120)
    assert failed.returncode == 2, said
    assert f"--address must be HOST:PORT of a running Ray cluster; got {address}" in said
    assert "Traceback" not in said
    assert_gone(mark)


@contextmanager
def node(mark: str, *arguments: str) -> Iterator[None]:
    """Start one node of a cluster in the foreground, and end it."""
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1", *arguments],
        env=os.environ | {MARK: mark, "RAY_USAGE_STATS_ENABLED": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_a_cluster_of_two_nodes_by_its_address(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, mark = f"127.0.0.1:{port}", uuid4().hex
    spec = replace(LONG, rounds=30, eval_every=30, engine=Ray(shards=2, address=address))
    head = ["--head", f"--port={port}", "--include-dashboard=false", "--node-ip-address=127.0.0.1"]
    with node(mark, *head):
        wait_for_port(port)
        with node(mark, f"--address={address}"):
            result = wait_for_two(spec, tmp_path)
    assert result == run(replace(spec, engine=InProcess())).model.tobytes()
    assert_gone(mark)


def wait_for_port(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError("the head did not start")


def wait_for_two(spec: Spec, folder: Path) -> bytes:
    """Run on the cluster; while the second node is on its way, one processor is too few, and said to be."""
    for attempt in range(20):
        out = folder / f"run-{attempt}"
        started = command(uuid4().hex, *flags(spec, out))
        said, _ = started.communicate(timeout=120)
        if started.returncode == 0:
            return bytes(np.load(out / "model.npy").tobytes())
        assert "shards must be at most the 1 processors of the cluster; got 2" in said, said
        time.sleep(1)
    raise AssertionError("the second node did not come")
