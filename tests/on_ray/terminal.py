"""The command in processes of its own, as a terminal starts it, and clusters for it to run on."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from uuid import uuid4

import tomli_w

from holdfast.runs.spec import Spec

MARK = "HOLDFAST_TEST_MARK"


def new_mark() -> str:
    """Return a mark that processes inherit from their parents."""
    return uuid4().hex


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


def heard(process: "subprocess.Popen[str]", text: str) -> str:
    """Return what the command said up to the line with this text."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if text in line:
            return said
    raise AssertionError(f"{text!r} was not said, but: {said}")


def interrupted(process: "subprocess.Popen[str]") -> tuple[float, str]:
    """Press Ctrl-C once; return the seconds until the command has ended, and what it said."""
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=60)
    seconds = time.monotonic() - begun
    return seconds, process.communicate()[0]


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def wait_for(path: Path, newer_than: float = 0.0) -> None:
    wait_until(lambda: path.exists() and path.stat().st_mtime > newer_than, f"{path} did not come")


@contextmanager
def node(mark: str, *arguments: str) -> Iterator[None]:
    """Start one node of a cluster, of one processor, in the foreground, and end it."""
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1", *arguments],
        env=os.environ | {MARK: mark, "RAY_USAGE_STATS_ENABLED": "0", "RAY_health_check_period_ms": "500"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextmanager
def cluster(mark: str) -> Iterator[str]:
    """Start a cluster of one node and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    short = tempfile.mkdtemp(prefix="hf-", dir="/tmp")  # the paths of sockets must not be long
    head = ["--head", f"--port={port}", "--include-dashboard=false", "--node-ip-address=127.0.0.1"]
    try:
        with node(mark, *head, f"--temp-dir={short}"):
            wait_until(lambda: _answers(port), "the head did not start")
            yield f"127.0.0.1:{port}"
    finally:
        rmtree(short, ignore_errors=True)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
