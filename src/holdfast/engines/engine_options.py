"""Options of engines: where a run is computed. None changes a number."""

import os
from dataclasses import dataclass, field
from math import isfinite
from typing import Annotated

from msgspec import Meta

from holdfast.conversion import convert_fields
from holdfast.errors import InvalidInput
from holdfast.naming import Family


@dataclass(frozen=True)
class EngineOptions:
    """Options of an engine. The metadata of a field hold the help of its flag."""

    @property
    def processes(self) -> int:
        """The number of processes that share the workers."""
        return 1

    def __post_init__(self) -> None:
        convert_fields(self)


@dataclass(frozen=True)
class InProcess(EngineOptions):
    """All workers in this process, one row each."""


@dataclass(frozen=True)
class Ray(EngineOptions):
    """Shards of workers in processes of their own, on this machine or a cluster, through Ray."""

    shards: Annotated[int, Meta(ge=0)] = field(
        default=0, metadata={"help": "number of processes that share the workers; 0 is one per core"}
    )
    address: str = field(
        default="local", metadata={"help": "HOST:PORT of a running cluster; local starts Ray on this machine"}
    )
    round_timeout: Annotated[float, Meta(ge=0)] = field(
        default=0.0, metadata={"help": "seconds to wait for late workers in a round; 0 waits for all"}
    )
    min_workers: Annotated[int, Meta(ge=1)] = field(
        default=1, metadata={"help": "answers that a round needs; with fewer the run stops, to be resumed"}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isfinite(self.round_timeout):
            raise InvalidInput(f"round_timeout must be finite; got {self.round_timeout}")
        if self.address not in ("local", "auto") and not self.address.rpartition(":")[2].isdecimal():
            raise InvalidInput(f"address must be local, auto or HOST:PORT; got {self.address!r}")

    @property
    def processes(self) -> int:
        return self.shards or os.cpu_count() or 1


REGISTRY: dict[str, type[EngineOptions]] = {"simulated": InProcess, "ray": Ray}
ENGINES: Family[EngineOptions] = Family("engine", REGISTRY, base=EngineOptions)
