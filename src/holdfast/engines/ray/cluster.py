"""A connection to Ray, which is imported and started only when it is needed."""

import os
import socket
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from threading import Event, Lock, Thread
from typing import Any

from holdfast.engines.ray.private_ray import bind_loopback, private_folder, require_token
from holdfast.errors import EngineError, InvalidInput

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # the way of the next version; the old one warns
    "RAY_gcs_rpc_server_reconnect_timeout_s": "5",  # how long Ray's processes outlive a killed master
}
"""Settings of Ray, unless the user has others."""
LOOK = 0.1
"""Seconds between two looks whether to stop."""
TRIES = 9
"""How often an address is tried, for at most `TRY` seconds each."""
TRY = 1.0
SETTINGS = 4
"""The type of the frame that begins a connection of HTTP/2, which Ray's services speak."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, SETTINGS, 0, 0, 0, 0, 0])


class Cluster:
    """A connection to Ray: to the cluster at an address, or to a Ray of our own on this machine.

    `stopping` is asked from time to time while the address does not answer or Ray starts.
    """

    def __init__(self, cpus: int, address: str = "local", stopping: Callable[[], bool] = lambda: False) -> None:
        if address not in ("local", "auto"):
            reach(address, stopping)
        self._undo = ExitStack()
        self.ray = _import_ray()
        try:
            if not self.ray.is_initialized():
                self._connect(cpus, address, stopping)
            available = self.processors[1]
            if available < cpus:
                raise InvalidInput(f"shards must be at most the {available} processors of the cluster; got {cpus}")
        except BaseException:
            self.close()
            raise

    @property
    def processors(self) -> tuple[int, int]:
        """The number of free processors, and of all processors."""
        free, total = (count().get("CPU", 0) for count in (self.ray.available_resources, self.ray.cluster_resources))
        return int(free), int(total)

    def _connect(self, cpus: int, address: str, stopping: Callable[[], bool]) -> None:
        where: dict[str, Any] = {"address": address}
        if address == "local":
            folder = self._undo.enter_context(private_folder())
            self._undo.enter_context(require_token())
            where |= {"num_cpus": cpus, "include_dashboard": False}
            where |= {"_node_ip_address": "127.0.0.1", "_temp_dir": folder}
        elif address != "auto" and "://" not in address:
            check_token(address)

        def begin() -> None:
            self.ray.init(log_to_driver=False, logging_level="error", **where)

        def end() -> None:
            self.ray.shutdown()
            undo.close()

        undo = self._undo.pop_all()  # a Ray that is given up while it starts needs them to its end
        try:
            with warnings.catch_warnings(), bind_loopback() if address == "local" else ExitStack():
                warnings.simplefilter("ignore")
                thread = OwnerThread(begin, end, stopping, "Ray to start")
        except EngineError:
            raise
        except Exception as error:  # Ray's errors have no class in common
            line = str(error).partition("\n")[0]
            if address == "local":
                raise EngineError(f"Ray must be able to start on this machine; got: {line}") from None
            raise unreachable(address, line) from None
        self._undo.callback(thread.close)

    def start(self, kind: type, *arguments: Any) -> Any:
        """Return a new actor with a processor of its own. Ray never restarts the actor by itself."""
        actor = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(kind)
        return actor.remote(*arguments)

    def close(self) -> None:
        """End everything that this connection started."""
        self._undo.close()


class OwnerThread:
    """A thread that begins something slow, waits, and ends it. The constructor returns when it has begun.

    Ray delays Ctrl-C while it starts and takes over SIGTERM, but only in the main thread. The thread lives as long as
    Ray: Ray's processes end with the thread that started them.
    """

    def __init__(
        self, begin: Callable[[], None], end: Callable[[], None], stopping: Callable[[], bool], what: str
    ) -> None:
        self._begin, self._end = begin, end
        self._error: BaseException | None = None
        self._begun, self._closed, self._deciding = Event(), Event(), Lock()
        self._thread = Thread(target=self._live, daemon=True)
        self._thread.start()
        while not self._begun.wait(LOOK):
            with self._deciding:
                give_up = stopping() and not self._begun.is_set()
                if give_up:
                    self._closed.set()  # the thread then ends at once what it has begun
            if give_up:
                raise EngineError(f"asked to stop while waiting for {what}")
        if self._error is not None:
            self.close()
            raise self._error

    def _live(self) -> None:
        try:
            self._begin()
        except BaseException as error:
            self._error = error
        with self._deciding:
            self._begun.set()
        self._closed.wait()
        self._end()

    def close(self) -> None:
        """End what the thread began, and wait for that."""
        self._closed.set()
        self._thread.join()


def reach(address: str, stopping: Callable[[], bool]) -> None:
    """Raise InvalidInput if no Ray answers at the address. Ray itself tries for long, then ends this process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    for last in [*[False] * (TRIES - 1), True]:
        try:
            is_ray = _speaks_http2(host, int(port))
        except TimeoutError as error:
            if last:
                raise unreachable(address, error) from None
        except (OSError, ValueError) as error:
            raise unreachable(address, error) from None
        else:
            if not is_ray:
                raise unreachable(address, "the service there is not Ray")
            return
        if stopping():
            raise EngineError(f"asked to stop while {address} did not answer")


def _speaks_http2(host: str, port: int) -> bool:
    """Return whether the service speaks HTTP/2; with TLS, whether any service is there."""
    with socket.create_connection((host, port), timeout=TRY) as connection:
        if os.environ.get("RAY_USE_TLS", "0") != "0":
            return True
        connection.sendall(GREETING)
        with connection.makefile("rb") as answer:
            return answer.read(4)[3:] == bytes([SETTINGS])  # after the length of the frame, its type


def check_token(address: str) -> None:
    """Raise InvalidInput if the cluster requires a token that this process does not have."""
    raylet, errors = import_module("ray._raylet"), import_module("ray.exceptions")
    try:
        raylet.GcsClient(address=address)
    except errors.AuthenticationError:
        how = "set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN, as docs/security.md tells"
        raise unreachable(address, f"it asks for a token that is missing or wrong; {how}") from None
    except Exception:  # Ray reports any other error when it connects
        return


def unreachable(address: str, why: object) -> InvalidInput:
    """Return the error for an address at which no cluster can be joined."""
    return InvalidInput(f"--address must be HOST:PORT of a running Ray cluster; got {address}: {why}")


def _import_ray() -> Any:
    """Return the module `ray`; InvalidInput if it is not installed."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise InvalidInput("engine ray needs Ray: pip install 'holdfast[ray]'; got no module named ray") from None
    return ray
