"""A federation on this machine, to try: start its processes, watch it train, end them all."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import TypedDict

from holdfast.errors import EngineError, InvalidInput
from holdfast.federation.app_template import LOOPBACK, SECRETS
from holdfast.federation.compromise import make_local_attack
from holdfast.files import write_atomic

HOME = "FLWR_HOME"
"""The variable by which processes of a trial are found: some have sessions of their own, no group holds them all."""
QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.05",
    "RAY_USAGE_STATS_ENABLED": "0",
    "OMP_NUM_THREADS": "1",
}
"""No network, and one thread per process."""
PATIENCE = 120.0
"""Seconds until the SuperLink must listen."""
GRACE = 4.0
"""Seconds between SIGTERM and SIGKILL."""

DECORATION = re.compile(r"\x1b\[[0-9;]*m|[\u2500-\u257f]")
"""Colours, and the boxes around errors."""
EXCEPTION = re.compile(r"[\w.]*(?:Error|InvalidInput|TooFew|Exception): \S")
NOISE = re.compile(r"Exit Code:|An unhandled exception|For more information, visit|Traceback|Usage:|Try '")


class RoundRecord(TypedDict):
    """A round as the server writes it to a JSON file."""

    round: int
    rounds: int
    """How many rounds the run has."""
    answered: int
    metrics: dict[str, float]
    faults: list[str]


@dataclass(frozen=True)
class Trial:
    """A federation of `nodes` on loopback. The last `byzantine` of them mount an attack."""

    folder: Path
    nodes: int = 4
    byzantine: int = 0
    attack: str | None = None
    config: str = ""
    """Further settings of the run, as after `flwr run -c`."""
    resume: bool = False
    """Whether server and nodes resume from the checkpoints of the last trial."""
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.nodes < 1:
            raise InvalidInput(f"--nodes must be at least 1; got {self.nodes}")
        if not 0 <= self.byzantine < self.nodes:
            raise InvalidInput(f"--byzantine must be from 0 to {self.nodes - 1}, below --nodes; got {self.byzantine}")
        if (self.attack is None) != (self.byzantine == 0):
            raise InvalidInput("--byzantine and --attack go together; got one of them")
        if self.attack is not None:
            make_local_attack(self.attack)
        for name in ("ca.crt", "server.pem", "server.key", "worker-1"):
            if not (self.secrets / name).is_file():
                missing = name if self.folder.is_dir() else "such folder"
                raise InvalidInput(
                    f"a trial needs what holdfast federation init {self.folder} writes; got no {missing}"
                )
        keys = sum((self.secrets / f"worker-{number}").is_file() for number in range(1, self.nodes + 1))
        if keys < self.nodes:
            raise InvalidInput(f"--nodes must be at most {keys}, the keys in {self.folder}; got {self.nodes}")
        if shutil.which("flower-superlink", path=_path()) is None:
            raise InvalidInput("a federation needs Flower: pip install 'holdfast[flower]'; got no flower-superlink")

    @property
    def secrets(self) -> Path:
        """The folder of keys, logs and states."""
        return self.folder.resolve() / SECRETS

    @property
    def home(self) -> Path:
        """The FLWR_HOME of every process of the trial."""
        return self.secrets / "home"

    @property
    def server(self) -> Path:
        """The server's folder: its model, and a record per round."""
        return self.secrets / "state" / "trial" / "server"

    def play(self, say: Callable[[str], None]) -> list[RoundRecord]:
        """Train to the end and return the records of all rounds. No process is left running in any case."""
        end_processes(self.home)
        for old in ("logs",) if self.resume else ("state", "logs"):
            shutil.rmtree(self.secrets / old, ignore_errors=True)
        try:
            port = self._start_superlink()
            say(f"the SuperLink listens at {LOOPBACK}:{port}, TLS and node keys; logs in {self.secrets / 'logs'}")
            self._start_nodes(port)
            attackers = f", {self.byzantine} of them Byzantine: {self.attack}" if self.byzantine else ""
            say(f"{self.nodes} nodes are started{attackers}; the first round takes some 20 seconds")
            return self._train(say)
        finally:
            end_processes(self.home)
            while self._started:
                self._started.pop().wait()

    def _start_superlink(self) -> int:
        """Start the server and return its port, when it listens."""
        port, certificate = _free_port(), self.secrets / "ca.crt"
        where = f'address = "{LOOPBACK}:{port}"\nroot-certificates = "{certificate}"'
        write_atomic(
            self.home / "config.toml", f'[superlink]\ndefault = "trial"\n[superlink.trial]\n{where}\n'.encode()
        )
        link = self._start(
            "superlink", "flower-superlink", "--host", LOOPBACK, "--port", str(port),
            "--ssl-ca-certfile", str(certificate), "--ssl-certfile", str(self.secrets / "server.pem"),
            "--ssl-keyfile", str(self.secrets / "server.key"),
            "--enable-supernode-auth", "--disable-runtime-dependency-installation",
        )  # fmt: skip
        deadline = monotonic() + PATIENCE
        while not _listens(port):
            if link.poll() is not None or monotonic() > deadline:
                raise EngineError(f"the SuperLink must listen; got {self._end_of_log('superlink')}")
            sleep(0.1)
        return port

    def _start_nodes(self, port: int) -> None:
        names = [f"worker-{number}" for number in range(1, self.nodes + 1)]
        register = ("flwr", "supernode", "register")
        registrations = [  # side by side: each takes seconds
            self._start(f"register-{name}", *register, str(self.secrets / f"{name}.pub"), "trial", "--name", name)
            for name in names
        ]
        for name, process in zip(names, registrations, strict=True):
            if process.wait():
                raise EngineError(f"{name} must be registered; got {self._end_of_log(f'register-{name}')}")
        honest, state = self.nodes - self.byzantine, f'state-dir="{self.secrets / "state"}"'
        for place, name in enumerate(names):
            self._start(
                name, "flower-supernode", "--superlink", f"{LOOPBACK}:{port}", "--host", LOOPBACK,
                "--port", str(_free_port()), "--root-certificates", str(self.secrets / "ca.crt"),
                "--auth-supernode-private-key", str(self.secrets / name),
                "--node-config", state if place < honest else f'{state} attack="{self.attack}"',
            )  # fmt: skip

    def _train(self, say: Callable[[str], None]) -> list[RoundRecord]:
        config = f'workers={self.nodes} state-dir="{self.secrets / "state"}" run-name="trial" {self.config}'
        run = self._start("run", "flwr", "run", str(self.folder.resolve()), "trial", "--stream", "-c", config)
        records: list[RoundRecord] = []
        first, folder = 0.0, self.server / "rounds"
        while True:
            ended = run.poll() is not None
            while (path := folder / f"{len(records) + 1:08d}.json").exists():
                records.append(json.loads(path.read_text()))
                first = first or monotonic()
                say(_describe(records, monotonic() - first))
            if records and records[-1]["round"] == records[-1]["rounds"]:
                return records
            if ended:
                raise EngineError(f"the run must play all its rounds; got {self._end_of_log('run')}")
            if self._started[0].poll() is not None:
                raise EngineError("the SuperLink must stay until the end; got its end; resume with --resume")
            sleep(0.2)

    def _start(self, log: str, *command: str) -> subprocess.Popen[bytes]:
        path = self.secrets / "logs" / f"{log}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        variables = os.environ | QUIET | {HOME: str(self.home), "PATH": _path()}
        with path.open("wb") as file:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=variables,
                start_new_session=True, cwd=self.secrets,
            )  # fmt: skip
        self._started.append(process)
        return process

    def _end_of_log(self, log: str) -> str:
        return summarise_log((self.secrets / "logs" / f"{log}.log").read_text(errors="replace"))


def stop(folder: Path) -> int:
    """End all processes of the trial in a folder, also after the trial was killed. Return how many there were."""
    return end_processes(folder.resolve() / SECRETS / "home")


def find_processes(home: Path) -> list[int]:
    """Return the processes, except this one, that run under a FLWR_HOME."""
    wanted, found = f"{HOME}={home}".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):  # the process has ended, or belongs to another user
                if wanted in (entry / "environ").read_bytes().split(b"\0"):  # a zombie's is empty
                    found.append(int(entry.name))
    return sorted(found)


def end_processes(home: Path) -> int:
    """End all processes under a FLWR_HOME and return how many there were."""
    seen: set[int] = set()
    deadline = monotonic() + GRACE
    while running := set(find_processes(home)):
        late = monotonic() > deadline
        for process in running if late else running - seen:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL if late else signal.SIGTERM)
        seen |= running
        sleep(0.1)
    return len(seen)


def summarise_log(log: str) -> str:
    """Return the last exception in a log of Flower's, else its last three lines that say something.

    >>> summarise_log("")
    'nothing in its log'
    """
    plain = [" ".join(DECORATION.sub(" ", line).split()) for line in log.splitlines()]
    lines = [line for line in plain if line and not NOISE.search(line)]
    exceptions = [line for line in lines if EXCEPTION.match(line)]
    return (exceptions[-1] if exceptions else " ".join(lines[-3:]) or "nothing in its log")[:300]


def _describe(records: list[RoundRecord], seconds: float) -> str:
    """Return the last round in words, with its faults, and the time left."""
    last = records[-1]
    left = seconds / max(len(records) - 1, 1) * (last["rounds"] - last["round"])
    metrics = "".join(f", {name} {value:.3f}" for name, value in last["metrics"].items())
    line = f"round {last['round']} of {last['rounds']}{metrics}, {last['answered']} answered"
    line += f", {left:.0f} s left" if len(records) > 1 else ""  # one round alone gives no time per round
    return "\n".join([line, *last["faults"]])


def _path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as probe:
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0
