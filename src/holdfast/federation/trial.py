"""A federation on this machine, to try: start its processes, watch it train, stop them all."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from holdfast.errors import EngineError, InvalidInput
from holdfast.federation.app_template import SECRETS
from holdfast.federation.compromise import mounted_alone
from holdfast.files import write_atomic

QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.05",
    "RAY_USAGE_STATS_ENABLED": "0",
    "OMP_NUM_THREADS": "1",
}
"""No network, one thread for each of the many processes."""
PATIENCE = 120.0
"""Seconds that the SuperLink may take to listen."""


@dataclass(frozen=True)
class Trial:
    """A federation of `nodes` on loopback, the last `byzantine` of which mount an attack."""

    folder: Path
    nodes: int = 4
    byzantine: int = 0
    attack: str | None = None
    config: str = ""
    """What else the run is told, as after `flwr run -c`."""
    resume: bool = False
    """Go on from the checkpoints of the last trial, the server's and the nodes'."""
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.nodes < 1:
            raise InvalidInput(f"--nodes must be at least 1; got {self.nodes}")
        if not 0 <= self.byzantine < self.nodes:
            raise InvalidInput(f"--byzantine must be from 0 to {self.nodes - 1}, below --nodes; got {self.byzantine}")
        if (self.attack is None) != (self.byzantine == 0):
            raise InvalidInput("--byzantine and --attack go together; got one of them")
        if self.attack is not None:
            mounted_alone(self.attack)
        self._check_files()
        if shutil.which("flower-superlink", path=_path()) is None:
            raise InvalidInput("a federation needs Flower: pip install 'holdfast[flower]'; got no flower-superlink")

    def _check_files(self) -> None:
        """Say how to get what is missing."""
        names = ("ca.crt", "server.pem", "server.key", "worker-1")
        if missing := [name for name in names if not (self.secrets / name).is_file()]:
            made = f"a trial needs what holdfast federation init {self.folder} writes"
            raise InvalidInput(f"{made}; got no {missing[0] if self.folder.is_dir() else 'such folder'}")
        keys = sum((self.secrets / f"worker-{number}").is_file() for number in range(1, self.nodes + 1))
        if keys < self.nodes:
            raise InvalidInput(f"--nodes must be at most {keys}, the keys in {self.folder}; got {self.nodes}")

    @property
    def secrets(self) -> Path:
        return self.folder.resolve() / SECRETS

    @property
    def home(self) -> Path:
        """The FLWR_HOME of every process of the trial."""
        return self.secrets / "home"

    @property
    def server(self) -> Path:
        """What the server has written: its model, and a record of each round."""
        return self.secrets / "state" / "trial" / "server"

    def play(self, say: Callable[[str], None]) -> list[dict[str, Any]]:
        """Train to the end and return the records of all rounds; whatever happens, nothing is left running."""
        stop(self.folder)
        for old in ("logs",) if self.resume else ("state", "logs"):
            shutil.rmtree(self.secrets / old, ignore_errors=True)
        try:
            with self._superlink() as port:
                say(f"the SuperLink listens at 127.0.0.1:{port}, TLS and node keys; logs in {self.secrets / 'logs'}")
                self._start_nodes(port)
                among_them = f", {self.byzantine} of them Byzantine: {self.attack}" if self.byzantine else ""
                say(f"{self.nodes} nodes are started{among_them}; the first round takes some 20 seconds")
                return self._train(say)
        finally:
            stop(self.folder)
            while self._started:
                self._started.pop().wait()

    @contextmanager
    def _superlink(self) -> Iterator[int]:
        port = _free_port()
        where = {"address": f"127.0.0.1:{port}", "root-certificates": str(self.secrets / "ca.crt")}
        lines = ["[superlink]", 'default = "trial"', "[superlink.trial]", *(f'{k} = "{v}"' for k, v in where.items())]
        write_atomic(self.home / "config.toml", "\n".join([*lines, ""]).encode())
        tls = [f"--ssl-{name}={self.secrets / file}" for name, file in
               (("ca-certfile", "ca.crt"), ("certfile", "server.pem"), ("keyfile", "server.key"))]  # fmt: skip
        options = ["--host", "127.0.0.1", "--port", str(port), *tls, "--enable-supernode-auth"]
        link = self._start("superlink", "flower-superlink", *options, "--disable-runtime-dependency-installation")
        begun = monotonic()
        while not _listens(port):
            if link.poll() is not None or monotonic() - begun > PATIENCE:
                raise EngineError(f"the SuperLink must listen; got {self._tail('superlink')}")
            sleep(0.1)
        yield port

    def _start_nodes(self, port: int) -> None:
        numbers = range(1, self.nodes + 1)
        registering = [self._register(number) for number in numbers]  # side by side: each takes seconds
        for number, process in zip(numbers, registering, strict=True):
            if process.wait():
                raise EngineError(f"node {number} must be registered; got {self._tail(f'register-{number}')}")
        for number in numbers:
            state = f'state-dir="{self.secrets / "state"}"'
            lies = f' attack="{self.attack}"' if number > self.nodes - self.byzantine else ""
            self._start(
                f"worker-{number}", "flower-supernode", "--superlink", f"127.0.0.1:{port}", "--host", "127.0.0.1",
                "--port", str(_free_port()), "--root-certificates", str(self.secrets / "ca.crt"),
                "--auth-supernode-private-key", str(self.secrets / f"worker-{number}"), "--node-config", state + lies,
            )  # fmt: skip

    def _register(self, number: int) -> subprocess.Popen[bytes]:
        key, name = str(self.secrets / f"worker-{number}.pub"), f"worker-{number}"
        return self._start(f"register-{number}", "flwr", "supernode", "register", key, "trial", "--name", name)

    def _train(self, say: Callable[[str], None]) -> list[dict[str, Any]]:
        config = f'workers={self.nodes} state-dir="{self.secrets / "state"}" run-name="trial" {self.config}'
        runs = self._start("run", "flwr", "run", str(self.folder.resolve()), "trial", "--stream", "-c", config)
        records: list[dict[str, Any]] = []
        first, folder = 0.0, self.server / "rounds"
        while True:
            ended = runs.poll() is not None
            while (path := folder / f"{len(records) + 1:08d}.json").exists():
                records.append(json.loads(path.read_text()))
                first = first or monotonic()
                say(_told(records, monotonic() - first))
            if records and records[-1]["round"] == records[-1]["rounds"]:
                return records
            if ended:
                raise EngineError(f"the run must play all its rounds; got {self._tail('run')}")
            if self._started[0].poll() is not None:
                raise EngineError("the SuperLink must stay until the end; got its end; go on with --resume")
            sleep(0.2)

    def _start(self, log: str, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        path = self.secrets / "logs" / f"{log}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        variables = os.environ | QUIET | {HOME: str(self.home), "PATH": _path()}
        with path.open("wb") as file:
            process = subprocess.Popen(
                [program, *arguments], stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=variables,
                start_new_session=True, cwd=self.secrets,
            )  # fmt: skip
        self._started.append(process)
        return process

    def _tail(self, log: str) -> str:
        return told_by((self.secrets / "logs" / f"{log}.log").read_text(errors="replace"))


def stop(folder: Path) -> int:
    """End all processes of the trial in a folder, also those that a killed one has left; return how many there were."""
    return sweep_family(folder.resolve() / SECRETS / "home")


def _told(records: list[dict[str, Any]], seconds: float) -> str:
    last = records[-1]
    left = seconds / max(len(records) - 1, 1) * (last["rounds"] - last["round"])
    measured = "".join(f", {name} {value:.3f}" for name, value in last["metrics"].items())
    line = f"round {last['round']} of {last['rounds']}{measured}, {last['answered']} answered"
    line += f", {left:.0f} s left" if len(records) > 1 else ""  # the first round says nothing of the others
    return "\n".join([line, *last["faults"]])


def _path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


HOME = "FLWR_HOME"
GRACE = 4.0
"""Seconds between asking processes to end and ending them."""


def family(home: Path) -> list[int]:
    """Return the processes, other than this one, that run under a FLWR_HOME."""
    wanted, found = f"{HOME}={home}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):  # it has ended, or is somebody else's
                if wanted in (entry / "environ").read_bytes().split(b"\0") and _runs(entry):
                    found.append(int(entry.name))
    return sorted(found)


def sweep_family(home: Path) -> int:
    """End all processes under a FLWR_HOME, and return how many there were."""
    seen: set[int] = set()
    asked = monotonic()
    while members := family(home):
        late = monotonic() - asked > GRACE
        for process in members:
            with suppress(ProcessLookupError):
                if late:
                    os.kill(process, signal.SIGKILL)
                elif process not in seen:
                    os.kill(process, signal.SIGTERM)
        seen |= set(members)
        sleep(0.1)
    return len(seen)


def _runs(entry: Path) -> bool:
    """Return whether a process is more than a zombie, which has ended and waits to be looked at."""
    return (entry / "stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")


STYLE = re.compile(r"\x1b\[[0-9;]*m|[\u2500-\u257f]")
"""Colours, and the frames that errors are drawn in."""
RAISED = re.compile(r"[\w.]*(?:Error|InvalidInput|TooFew|Exception): \S")
NOISE = re.compile(r"Exit Code:|An unhandled exception|For more information, visit|Traceback|Usage:|Try '")
LINES, LONGEST = 3, 300
"""An error in a frame is broken into lines."""


def told_by(log: str) -> str:
    """Return the last exception in a log, or else its last lines that say something.

    >>> told_by("")
    'nothing in its log'
    """
    lines = [" ".join(STYLE.sub(" ", line).split()) for line in log.splitlines()]
    telling = [line for line in lines if line and not NOISE.search(line)]
    raised = [line for line in telling if RAISED.match(line)]
    return (raised[-1] if raised else " ".join(telling[-LINES:]) or "nothing in its log")[:LONGEST]
