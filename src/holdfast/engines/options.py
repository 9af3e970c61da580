"""How a user chooses an engine: where the workers compute. No option here changes a number of the result."""

import os
from dataclasses import dataclass
from math import inf

from holdfast.errors import InvalidInput


@dataclass(frozen=True)
class InProcess:
    """All workers in this process."""


@dataclass(frozen=True)
class Ray:
    """Workers in several processes, on this machine or on a cluster, through Ray.

    `shards` processes share the workers (0: one per core). `address` is that of a running cluster, HOST:PORT; `local`
    starts Ray here. A round goes on without those that are later than `round_timeout` seconds (0: it waits for
    all); with fewer answers than `min_workers` the run stops, to be resumed.
    """

    shards: int = 0
    address: str = "local"
    round_timeout: float = 0.0
    min_workers: int = 1

    def __post_init__(self) -> None:
        if not self.shards >= 0:
            raise InvalidInput(f"ray needs shards >= 0; got shards={self.shards}")
        if not 0 <= self.round_timeout < inf:
            raise InvalidInput(f"ray needs round_timeout >= 0 and finite; got round_timeout={self.round_timeout}")
        if not self.min_workers >= 1:
            raise InvalidInput(f"ray needs min_workers >= 1; got min_workers={self.min_workers}")
        if self.address not in ("local", "auto") and not self.address.rpartition(":")[2].isdecimal():
            raise InvalidInput(f"ray needs address local, auto or HOST:PORT; got address={self.address}")

    @property
    def processes(self) -> int:
        """How many processes share the workers."""
        return self.shards or os.cpu_count() or 1


REGISTRY: dict[str, type] = {"simulated": InProcess, "ray": Ray}
