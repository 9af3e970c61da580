"""Real faults in a real deployment: a node killed and started again, and nodes that nobody registered."""

import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("flwr")

from holdfast.federation.trial.certificates import write_node_key
from holdfast.federation.trial.family import family
from holdfast.federation.trial.supervisor import Trial
from holdfast.federation.trial.template import write_app

BIN = Path(sys.executable).parent


def free_port() -> list[str]:
    """Return the option of a port for a node of its own; of two such options the last counts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return ["--port", str(probe.getsockname()[1])]


def commands(trial: Trial, program: str) -> dict[int, list[str]]:
    """Return the command lines of all processes of a trial that run a program."""
    lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1] for pid in family(trial.home)}
    return {pid: line for pid, line in lines.items() if any(word.endswith(program) for word in line[:2])}


def test_a_node_that_is_killed_is_missed_and_comes_back(tmp_path: Path) -> None:
    """A stranger with a key that nobody registered, and another with our key but another CA, try all the while."""
    write_app(tmp_path, nodes=3)
    write_node_key(tmp_path / ".trial", "stranger")
    write_app(tmp_path / "elsewhere", nodes=1)
    trial = Trial(tmp_path, nodes=3, config="rounds=8 round-timeout=30")
    helpers: list[subprocess.Popen[bytes]] = []

    def again(command: list[str], log: str) -> None:
        """Start a command until it stays: Flower refuses a node that was killed for some 50 seconds."""
        with (trial.secrets / "logs" / log).open("wb") as file:
            helpers.append(
                subprocess.Popen(
                    ["sh", "-c", f"until {shlex.join(command)}; do sleep 2; done"],
                    env=os.environ | {"FLWR_HOME": str(trial.home), "PATH": f"{BIN}:{os.environ['PATH']}"},
                    stdout=file,
                    stderr=file,
                    start_new_session=True,
                )
            )

    def watch(line: str) -> None:
        if not line.startswith("round 1 of"):
            return
        nodes = commands(trial, "flower-supernode")
        pid, command = next((pid, line) for pid, line in nodes.items() if str(trial.secrets / "worker-2") in line)
        stranger = [*command, "--auth-supernode-private-key", str(trial.secrets / "stranger"), *free_port()]
        deceived = [*command, "--root-certificates", str(tmp_path / "elsewhere" / ".trial" / "ca.crt"), *free_port()]
        os.kill(pid, signal.SIGKILL)
        again(stranger, "stranger.log")
        again(deceived, "deceived.log")
        again(command, "worker-2-again.log")

    try:
        records = trial.play(watch)
    finally:
        for helper in helpers:
            helper.wait()
    answered = [record["answered"] for record in records]
    assert answered[0] == 3
    assert min(answered) < 3
    assert max(answered) == 3  # nobody else ever counts
    played = [int(path.stem) for path in (trial.secrets / "state" / "trial" / "worker-2").glob("*.checkpoint")]
    assert max(played) > 2  # it has gone on from its own files
    assert family(trial.home) == []


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_trial_that_is_interrupted_or_killed(end: signal.Signals, tmp_path: Path) -> None:
    write_app(tmp_path, nodes=2)
    home = tmp_path / ".trial" / "home"
    command = [sys.executable, "-m", "holdfast", "federation"]
    with subprocess.Popen([*command, "try", tmp_path, "--nodes", "2"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"the SuperLink listens" in process.stdout.readline()
        assert len(family(home)) >= 2
        process.send_signal(end)
        assert process.wait(timeout=10) == (130 if end is signal.SIGINT else -signal.SIGKILL)
    if end is signal.SIGKILL:
        assert family(home)
        assert subprocess.run([*command, "stop", tmp_path], check=False, timeout=30).returncode == 0
    assert family(home) == []
