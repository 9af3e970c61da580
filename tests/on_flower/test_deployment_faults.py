"""Real faults in a real deployment: a node killed and started again, one that sends junk, nodes nobody registered."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("flwr")

from holdfast.federation.app_template import write_app, write_node_key
from holdfast.federation.trial import Trial, find_processes

BIN = Path(sys.executable).parent
JUNK = '''
"""A node whose configuration names an attack sends something that is no answer, in every round another.

200 MB come last: they hold up everybody, and worker 2, which was killed after the first round, is to be back before.
"""

from pathlib import Path
from time import sleep

import numpy as np
from flwr.app import ConfigRecord
from holdfast.engines import wire
from holdfast.flower import client_app

from robust_app.task import SPEC, task


LAST = 8


def wait_for_worker_2(context):
    """Hold up a round for up to 15 of its 30 seconds while worker 2 has played none since it was killed."""
    folder = Path(context.node_config["state-dir"]) / "trial" / "worker-2"
    for _ in range(30):
        if any(int(path.stem) > 2 for path in folder.glob("*.checkpoint")):
            return
        sleep(0.5)


def junk(message, context, call_next):
    reply = call_next(message, context)
    if context.node_config.get("attack"):
        round = int(wire.unpack(message.content["holdfast"]["body"]).arrays["round"])
        kinds = [
            b"x" * 999,
            wire.model(np.zeros(3, np.float32), round),
            wire.model(np.zeros(650, np.float32), max(round - 1, 0)),
            wire.model(np.full(650, np.nan, np.float32), round),
        ]
        if len(kinds) <= round < LAST:
            wait_for_worker_2(context)
        body = bytes(200_000_000) if round == LAST else [*kinds, b""][min(round, len(kinds))]
        reply.content["holdfast"] = ConfigRecord({"body": body})
    return reply


app = client_app(SPEC, task, mods=[junk])
'''


def free_port() -> list[str]:
    """Return the option of a port for a node of its own; of two such options the last counts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return ["--port", str(probe.getsockname()[1])]


def commands(trial: Trial, program: str) -> dict[int, list[str]]:
    """Return the command lines of all processes of a trial that run a program."""
    pids = find_processes(trial.home)
    lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1] for pid in pids}
    return {pid: line for pid, line in lines.items() if any(word.endswith(program) for word in line[:2])}


def test_a_node_that_is_killed_is_missed_and_comes_back(tmp_path: Path) -> None:
    """Node 4 sends junk. Strangers try all the while: without a key, with one that nobody registered, another CA."""
    write_app(tmp_path, nodes=4)
    (tmp_path / "robust_app" / "client_app.py").write_text(JUNK)
    write_node_key(tmp_path / ".trial", "stranger")
    write_app(tmp_path / "elsewhere", nodes=1)
    trial = Trial(tmp_path, nodes=4, byzantine=1, attack="sign-flip", config="rounds=9 round-timeout=30")
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
        at = command.index("--auth-supernode-private-key")
        keyless = [*command[:at], *command[at + 2 :], *free_port()]
        os.kill(pid, signal.SIGKILL)
        again(keyless, "keyless.log")
        again(stranger, "stranger.log")
        again(deceived, "deceived.log")
        again(command, "worker-2-again.log")

    try:
        records = trial.play(watch)
    finally:
        for helper in helpers:
            helper.wait()
    answered, faults = [record["answered"] for record in records], [record["faults"] for record in records]
    assert answered[0] == 3
    assert answered[1] <= 2  # the round ended at its time-out
    assert max(answered) == 3  # nobody else ever counts
    assert 3 in answered[2:-1]  # it is back: Flower refuses it for some 50 seconds
    reasons = (
        "a frame must begin with",
        "a frame must have dimension 650",
        "must be of round 2",
        "an answer must be finite; got NaN or infinity",
        *["a frame must have at least 44 bytes|no answer in time"] * 4,  # it was waiting for worker 2
        r"a frame must begin with|no answer in time",  # 200 MB: it depends on how fast they are moved
    )
    for lines, reason in zip(faults, reasons, strict=True):
        assert any(re.search(f"worker 4: .*({reason})", line) for line in lines), (lines, reason)
    played = [int(path.stem) for path in (trial.secrets / "state" / "trial" / "worker-2").glob("*.checkpoint")]
    assert max(played) > 2  # it has gone on from its own files
    assert find_processes(trial.home) == []


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_trial_that_is_interrupted_or_killed(end: signal.Signals, tmp_path: Path) -> None:
    write_app(tmp_path, nodes=2)
    home = tmp_path / ".trial" / "home"
    command = [sys.executable, "-m", "holdfast", "federation"]
    with subprocess.Popen([*command, "try", tmp_path, "--nodes", "2"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"the SuperLink listens" in process.stdout.readline()
        assert len(find_processes(home)) >= 2
        process.send_signal(end)
        assert process.wait(timeout=10) == (130 if end is signal.SIGINT else -signal.SIGKILL)
    if end is signal.SIGKILL:
        assert find_processes(home)
        assert subprocess.run([*command, "stop", tmp_path], check=False, timeout=30).returncode == 0
    assert find_processes(home) == []
