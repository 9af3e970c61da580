"""Where a run is computed. Nothing here changes a number."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from holdfast.naming import Family, convert_fields


@dataclass(frozen=True)
class EngineOptions:
    """The options of an engine."""

    def __post_init__(self) -> None:
        convert_fields(self)


@dataclass(frozen=True)
class InProcess(EngineOptions):
    """All workers in this process, one row each."""


@dataclass(frozen=True)
class Ray(EngineOptions):
    """Shards of workers in processes of their own, on this machine or a cluster, through Ray."""

    shards: Annotated[int, Meta(ge=0)] = 0
    """Number of processes that share the workers; 0 is one per core."""
    address: str = "local"
    """HOST:PORT of a running cluster; local starts Ray here."""
    round_timeout: Annotated[float, Meta(ge=0)] = 0.0
    """Seconds after which a round goes on without who is late; 0 waits for all."""
    min_workers: Annotated[int, Meta(ge=1)] = 1
    """Answers that a round needs; with fewer the run stops, to be resumed."""


REGISTRY: dict[str, type[EngineOptions]] = {"simulated": InProcess, "ray": Ray}
ENGINES: Family[EngineOptions] = Family("engine", REGISTRY)
