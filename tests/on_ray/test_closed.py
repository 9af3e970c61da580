"""Nobody but us can use a Ray that we started: not from another network, not from this machine, without the token."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest_plugins = ["warm"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who listens where"),
]
SERVICES = {
    "gcs_server": ["InternalKVGcsService/InternalKVKeys"],
    "raylet": ["NodeManagerService/GetSystemConfig", "ObjectManagerService/FreeObjects"],  # two ports
    "python": ["CoreWorkerService/NumPendingTasks"],
}
UNAUTHENTICATED, UNIMPLEMENTED = "16", "12"
HAS_NAMESPACES = shutil.which("ip") is not None and hasattr(os, "geteuid") and os.geteuid() == 0


def descendants() -> set[int]:
    """Return this process and all that it started, and they."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def listening() -> dict[int, tuple[str, str]]:
    """Return where Ray's processes listen: port, address and the process's name."""
    sockets = {}
    for process in descendants():
        try:
            name = Path(f"/proc/{process}/comm").read_text().strip()
            for entry in Path(f"/proc/{process}/fd").iterdir():
                if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry)):
                    sockets[found[1]] = name
        except OSError:
            continue
    ports = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and inode in sockets:
                address, port = local.split(":")
                ports[int(port, 16)] = (address, sockets[inode])
    return ports


def token() -> str:
    return os.environ["RAY_AUTH_TOKEN"]


@pytest.fixture(scope="module")
def ours(ray: Any) -> dict[int, tuple[str, str]]:
    """Have an actor run, so that its port is there, too."""

    class Idle:
        def handle(self) -> int:
            return 1

    actor = ray.remote(Idle).remote()
    assert ray.get(actor.handle.remote()) == 1
    return listening()


CONNECT = """
import socket, sys
for port in sys.argv[2:]:
    try:
        socket.create_connection((sys.argv[1], int(port)), timeout=2).close()
        print(port)
    except OSError:
        pass
"""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}


def test_all_ports_are_of_this_machine_only(ours: dict[int, tuple[str, str]]) -> None:
    assert {address for address, _ in ours.values()} <= LOOPBACK, ours
    assert len(ours) >= 5  # the store of the cluster, two of its node, this process, the actor


def test_from_another_loopback_address_no_connection_is_accepted(ours: dict[int, tuple[str, str]]) -> None:
    """A listener of another kind is reached there."""
    with socket.create_server(("127.0.0.2", 0)) as reachable:
        ports = [reachable.getsockname()[1], *ours]
        words = [sys.executable, "-c", CONNECT, "127.0.0.2", *map(str, ports)]
        reached = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert reached == [str(ports[0])]


def test_no_command_line_shows_the_token(ours: dict[int, tuple[str, str]]) -> None:
    shown = [Path(f"/proc/{process}/cmdline") for process in descendants()]
    assert not [path for path in shown if path.exists() and token().encode() in path.read_bytes()]


def test_its_folder_is_private(ray: Any) -> None:
    folder = Path(ray._private.worker._global_node.get_session_dir_path()).parent
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert folder.parent.name.startswith("holdfast-ray-")


def called(port: int, service: str, *headers: str) -> str:
    """Return the status of an empty call."""
    words = ["curl", "-s", "-m", "5", "--http2-prior-knowledge", "-X", "POST", "--data-binary", "@-", "-D", "-"]
    for header in ("content-type: application/grpc", "te: trailers", *headers):
        words += ["-H", header]
    address = f"http://127.0.0.1:{port}/ray.rpc.{service}"
    said = subprocess.run([*words, "-o", os.devnull, address], input=bytes(5), capture_output=True, check=False).stdout
    return ",".join(re.findall(r"grpc-status: (\d+)", said.decode(errors="replace")))


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl makes the calls")
def test_no_service_answers_without_the_token(ours: dict[int, tuple[str, str]]) -> None:
    """Every call that changes or tells something, at every port; and with the token the same calls are answered."""
    refused = answered = 0
    for port, (_, name) in ours.items():
        for service in SERVICES.get(name, SERVICES["python"]):
            if called(port, service, f"authorization: Bearer {token()}") != "0":
                continue  # not what this port is for
            answered += 1
            assert called(port, service) == UNAUTHENTICATED, (name, service)
            assert called(port, service, f"authorization: Bearer {'0' * 64}") == UNAUTHENTICATED, (name, service)
            refused += 1
    assert refused == answered >= 5


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl makes the calls")
def test_no_agent_answers_without_the_token(ours: dict[int, tuple[str, str]]) -> None:
    """Ray's helpers speak HTTP, some of them to run code."""
    words = ["curl", "-s", "-m", "5", "-o", os.devnull, "-w", "%{http_code}", "--data-binary", "{}"]
    for port, (_, name) in listening().items():
        done = subprocess.run([*words, f"http://127.0.0.1:{port}/"], capture_output=True, text=True, check=False)
        assert done.stdout in ("401", "000"), name  # unauthorised, or no HTTP of this kind


STRANGER = """
import sys
from ray._raylet import GcsClient
try:
    print(len(GcsClient(address=sys.argv[1]).internal_kv_keys(b"", None, timeout=5)), "keys")
except Exception as error:
    print(type(error).__name__)
"""


def stranger(address: str, given: dict[str, str], *before: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    words = [*before, sys.executable, "-c", STRANGER, address]
    return subprocess.run(words, env=environment | given, capture_output=True, text=True, check=True).stdout.strip()


def keys(secret: str) -> dict[str, str]:
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secret}


def test_a_stranger_on_this_machine_is_refused(ray: Any) -> None:
    address = ray.get_runtime_context().gcs_address
    assert stranger(address, {}) == "AuthenticationError"
    assert stranger(address, keys("0" * 64)) == "AuthenticationError"
    assert stranger(address, keys(token())).endswith("keys")


@contextmanager
def namespace() -> Iterator[tuple[str, str]]:
    """Make another network with one cable to this machine; yield its name and this machine's address there."""
    name, number = f"hf{os.getpid() % 10000}", os.getpid() % 200 + 20
    here, there = f"10.213.{number}.1", f"10.213.{number}.2"

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    ip("netns", "add", name)
    try:
        ip("link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b", "netns", name)
        ip("addr", "add", f"{here}/24", "dev", f"{name}a")
        ip("link", "set", f"{name}a", "up")
        ip("-n", name, "addr", "add", f"{there}/24", "dev", f"{name}b")
        ip("-n", name, "link", "set", f"{name}b", "up")
        yield name, here
    finally:
        ip("netns", "del", name)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[tuple[str, str]]:
    if not HAS_NAMESPACES:
        pytest.skip("a network namespace needs root and iproute2")
    try:
        with namespace() as made:
            yield made
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespace can be made here: {error.stderr.decode()}")


def test_from_another_network_no_connection_is_accepted(
    ours: dict[int, tuple[str, str]], elsewhere: tuple[str, str]
) -> None:
    """A listener of another kind is reached from there: it is Ray's ports that are closed, not the network."""
    name, here = elsewhere
    with socket.create_server((here, 0)) as reachable:
        ports = [reachable.getsockname()[1], *ours]
        words = ["ip", "netns", "exec", name, sys.executable, "-c", CONNECT, here, *map(str, ports)]
        reached = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    assert reached == [str(ports[0])]


def test_a_cluster_with_a_token_lets_in_who_has_it(elsewhere: tuple[str, str], tmp_path: Path) -> None:
    """As docs/security.md tells to start one: its ports are open to the network, and it asks for the token."""
    name, here = elsewhere
    with socket.create_server((here, 0)) as free:
        port = free.getsockname()[1]
    secret, address = "5" * 64, f"{here}:{port}"
    short = tempfile.mkdtemp(prefix="hf-", dir="/tmp")  # the paths of sockets must not be long
    started = subprocess.Popen(
        [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus=1", f"--port={port}",
         f"--node-ip-address={here}", "--include-dashboard=false", f"--temp-dir={short}"],
        env=os.environ | keys(secret) | {"RAY_USAGE_STATS_ENABLED": "0"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    inside = ("ip", "netns", "exec", name)
    try:
        until = time.monotonic() + 60
        while not stranger(address, keys(secret), *inside).endswith("keys"):
            assert time.monotonic() < until
            assert started.poll() is None
            time.sleep(0.5)
        assert stranger(address, {}, *inside) == "AuthenticationError"
        assert stranger(address, keys("0" * 64), *inside) == "AuthenticationError"
        small = ["--data", "digits", "--rounds", "2", "--workers", "4", "--shards", "1"]
        run = [sys.executable, "-m", "holdfast", "run", *small, "--engine", "ray", "--address", address, "--out"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("RAY_AUTH")}
        closed = subprocess.run(
            [*run, str(tmp_path / "no")], env=environment, capture_output=True, text=True, check=False
        )
        assert closed.returncode == 2
        assert f"got {address}: it asks for a token that is missing or wrong; set RAY_AUTH_MODE=token" in closed.stderr
        assert "Traceback" not in closed.stderr
        let_in = subprocess.run(
            [*run, str(tmp_path / "yes")], env=environment | keys(secret), capture_output=True, text=True, check=False
        )
        assert let_in.returncode == 0, let_in.stderr
    finally:
        started.terminate()
        started.wait(timeout=60)
        shutil.rmtree(short, ignore_errors=True)


def test_what_the_user_has_set_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.engines.ray.private_ray import require_token

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    with require_token():
        assert os.environ["RAY_AUTH_MODE"] == "disabled"
        assert "RAY_AUTH_TOKEN" not in os.environ
