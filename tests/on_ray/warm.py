"""Real Ray, started once; and actors that are kept from one run to the next, since starting one takes seconds."""

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.engines import ray as ray_engine

SHARDS = 2


HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:  # actors find what tests define
        paths = [HERE, HERE.with_name("engines"), *filter(None, [os.environ.get("PYTHONPATH")])]
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
        connection = ray_engine.Cluster(SHARDS)
    yield connection.ray
    with warnings.catch_warnings():  # Ray leaves its own processes to the collector of garbage, and that is now
        warnings.simplefilter("ignore", ResourceWarning)
        connection.close()
        gc.collect()


@pytest.fixture
def kept_actors(ray: Any, monkeypatch: pytest.MonkeyPatch, pool: list[Any]) -> None:
    """Let actors be made anew inside processes that run already, and not be killed at the end."""

    class Sparing:
        def __getattr__(self, name: str) -> Any:
            return getattr(ray, name)

        def kill(self, actor: Any) -> None:
            pool.append(actor)

    class Warm(ray_engine.Cluster):
        def __init__(self, cpus: int, address: str) -> None:
            super().__init__(cpus, address)
            self.ray = Sparing()

        def start(self, kind: type, *arguments: Any) -> Any:
            if not pool:
                return super().start(kind, *arguments)
            actor = pool.pop()
            ray.get(actor.__ray_call__.remote(lambda self, *parts: type(self).__init__(self, *parts), *arguments))
            return actor

    monkeypatch.setattr(ray_engine, "Cluster", Warm)


@pytest.fixture(scope="module")
def pool(ray: Any) -> Iterator[list[Any]]:
    actors: list[Any] = []
    yield actors
    for actor in actors:
        ray.kill(actor)
