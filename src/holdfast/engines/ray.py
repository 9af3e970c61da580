"""Ray as a transport: one actor per member. It is imported and started when it is needed."""

import os
import signal
import socket
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any

import numpy as np

from holdfast.engines.remote import Station
from holdfast.engines.transport import Answer, Lost
from holdfast.engines.wire import Data
from holdfast.errors import InvalidInput

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # the way of the next version; the old one warns
    "RAY_gcs_rpc_server_reconnect_timeout_s": "5",  # how long its helpers outlive a master that was killed
}
"""Settings of Ray, unless the user has others."""

INLINE = 100_000
"""Bytes from which Ray does better with one shared copy of an argument."""


class RayTransport:
    """Stations in actors, one processor each; `stations` are picklable and build one each, in its actor."""

    def __init__(self, stations: Sequence[Callable[[], Station]], address: str = "local") -> None:
        self._stations, self._address = stations, address
        self._cluster: Cluster | None = None
        self._actors: list[Any] = []
        self._waiting: dict[Any, int] = {}
        self._shared: deque[tuple[bytes, Any]] = deque(maxlen=2)  # what followers are sent, and what others are

    def start(self) -> None:
        self._cluster = Cluster(len(self._stations), self._address)
        self._actors = [self._cluster.start(Actor, station) for station in self._stations]

    def send(self, member: int, request: bytes) -> None:
        self._waiting[self._actors[member].handle.remote(self._argument(request))] = member

    def _argument(self, request: bytes) -> Any:
        """Return a request as an argument for actors; a large one is put once where all can reach it."""
        if len(request) < INLINE:
            return request
        for put, reference in self._shared:
            if put is request:
                return reference
        reference = self._running.ray.put(parcel(request))
        self._shared.append((request, reference))
        return reference

    def collect(self, timeout: float | None) -> Iterator[Answer | Lost]:
        ray = self._running.ray
        deadline = None if timeout is None else monotonic() + timeout
        while self._waiting:
            left = None if deadline is None else max(deadline - monotonic(), 0.0)
            done, _ = ray.wait(list(self._waiting), num_returns=1, timeout=left)
            if not done:
                return
            member = self._waiting.pop(done[0])
            event: Answer | Lost
            try:
                event = Answer(member, ray.get(done[0]))
            except ray.exceptions.RayError as error:
                event = Lost(member, _cause(error))
            yield event

    def replace(self, member: int) -> None:
        self._running.ray.kill(self._actors[member])
        self._waiting = {promise: of for promise, of in self._waiting.items() if of != member}
        self._actors[member] = self._running.start(Actor, self._stations[member])

    def close(self) -> None:
        if self._cluster is not None:
            for actor in self._actors:
                self._cluster.ray.kill(actor)
            self._actors, self._waiting = [], {}
            self._shared.clear()
            self._cluster.close()
            self._cluster = None

    @property
    def _running(self) -> "Cluster":
        assert self._cluster is not None  # whoever uses a transport starts it first
        return self._cluster


class Actor:
    """What runs in a process of Ray's: a station."""

    def __init__(self, build: Callable[[], Station]) -> None:
        self._station = build()

    def handle(self, request: Data) -> Data:
        return parcel(self._station.handle(request))


def parcel(data: bytes) -> Data:
    """Return bytes as what Ray moves with the fewest copies: many as an array, which is read where it lies."""
    return data if len(data) < INLINE else np.frombuffer(data, np.uint8)


def library() -> Any:
    """Return the module `ray`, or say how to get it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise InvalidInput("engine ray needs Ray: pip install 'holdfast[ray]'; got no module named ray") from None
    return ray


class Cluster:
    """A connection to Ray: to the cluster at an address, or to one of our own on this machine."""

    def __init__(self, cpus: int, address: str = "local") -> None:
        if address not in ("local", "auto"):
            _reach(address)
        self.ray = library()
        self._ours = not self.ray.is_initialized()
        if self._ours:
            self._connect(cpus, address)
        available = int(self.ray.cluster_resources().get("CPU", 0))
        if available < cpus:
            self.close()
            raise InvalidInput(f"shards must be at most the {available} processors of the cluster; got {cpus}")

    def _connect(self, cpus: int, address: str) -> None:
        where: dict[str, Any] = {"address": address}
        if address == "local":
            where |= {"num_cpus": cpus, "include_dashboard": False}
        before = signal.getsignal(signal.SIGTERM)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.ray.init(log_to_driver=False, logging_level="error", **where)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            self.close()
            line = str(error).partition("\n")[0]
            raise InvalidInput(f"--address must be HOST:PORT of a running Ray cluster; got {address}: {line}") from None
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, before)  # Ray takes it; a run has its own way to stop

    def start(self, kind: type, *arguments: Any) -> Any:
        """Return a new actor, one processor to itself, that is never restarted behind our back."""
        actor = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(kind)
        return actor.remote(*arguments)

    def close(self) -> None:
        """End what we have started."""
        if self._ours:
            self.ray.shutdown()


def _reach(address: str) -> None:
    """Say so if nobody is at the address: Ray itself would end this process."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.removeprefix("ray://"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"--address must be HOST:PORT of a running Ray cluster; got {address}: {error}") from None


def _cause(error: Exception) -> str:
    """Return the last line of an actor's own trouble, without its traceback."""
    return next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)
