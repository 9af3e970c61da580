"""Ray, imported and started when it is needed, and gone when it is not."""

import os
import signal
import socket
import threading
import warnings
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.typing import Bits

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # the way of the next version; the old one warns
    "RAY_gcs_rpc_server_reconnect_timeout_s": "5",  # how long its helpers outlive a master that was killed
}
"""Settings of Ray, unless the user has others."""

INLINE = 100_000
"""Bytes from which Ray does better with one shared copy of an argument."""


def parcel(frame: bytes) -> bytes | Bits:
    """Return a frame as what Ray moves with the fewest copies: a large one as an array, which is read where it lies."""
    return frame if len(frame) < INLINE else np.frombuffer(frame, np.uint8)


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
