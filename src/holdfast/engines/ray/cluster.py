"""A connection to Ray, which is imported and started when it is needed."""

import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from holdfast.engines.ray.aside import Aside
from holdfast.engines.ray.closed import asking_for_a_token, on_loopback
from holdfast.engines.ray.folder import private_folder
from holdfast.engines.ray.reaching import ask_in, reach, unreachable
from holdfast.errors import EngineError, InvalidInput

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # the way of the next version; the old one warns
    "RAY_gcs_rpc_server_reconnect_timeout_s": "5",  # how long its helpers outlive a master that was killed
}
"""Settings of Ray, unless the user has others."""


class Cluster:
    """A connection to Ray: to the cluster at an address, or to one of our own on this machine.

    `stopping` is asked from time to time while nobody answers at the address or Ray takes its time.
    """

    def __init__(self, cpus: int, address: str = "local", stopping: Callable[[], bool] = lambda: False) -> None:
        if address not in ("local", "auto"):
            reach(address, stopping)
        self._undo = ExitStack()
        self.ray = _library()
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
        """How many processors are free, and how many there are."""
        free, all_of_them = (of().get("CPU", 0) for of in (self.ray.available_resources, self.ray.cluster_resources))
        return int(free), int(all_of_them)

    def _connect(self, cpus: int, address: str, stopping: Callable[[], bool]) -> None:
        where: dict[str, Any] = {"address": address}
        if address == "local":
            folder = self._undo.enter_context(private_folder())
            self._undo.enter_context(asking_for_a_token())
            where |= {"num_cpus": cpus, "include_dashboard": False}
            where |= {"_node_ip_address": "127.0.0.1", "_temp_dir": folder}
        elif address != "auto" and "://" not in address:
            ask_in(address)

        def begin() -> None:
            self.ray.init(log_to_driver=False, logging_level="error", **where)

        def end() -> None:
            self.ray.shutdown()
            undo.close()

        undo = self._undo.pop_all()  # what has begun needs it even if it is given up
        try:
            with warnings.catch_warnings(), on_loopback() if address == "local" else ExitStack():
                warnings.simplefilter("ignore")
                began = Aside(begin, end, stopping, "Ray to start")
        except EngineError:
            raise
        except Exception as error:  # what Ray raises has no class in common
            line = str(error).partition("\n")[0]
            if address == "local":
                raise EngineError(f"Ray must be able to start on this machine; got: {line}") from None
            raise unreachable(address, line) from None
        self._undo.callback(began.close)

    def start(self, kind: type, *arguments: Any) -> Any:
        """Return a new actor, one processor to itself, that is never restarted behind our back."""
        actor = self.ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(kind)
        return actor.remote(*arguments)

    def close(self) -> None:
        """End what we have started."""
        self._undo.close()


def _library() -> Any:
    """Return the module `ray`, or say how to get it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise InvalidInput("engine ray needs Ray: pip install 'holdfast[ray]'; got no module named ray") from None
    return ray
