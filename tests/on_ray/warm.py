"""Real Ray, started once; and actors that are kept from one run to the next, since starting one takes seconds."""

import gc
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.engines.ray import Cluster, ray_transport

SHARDS = 2


HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:  # actors find what tests define
        paths = [HERE, HERE.parent, HERE.with_name("engines"), *filter(None, [os.environ.get("PYTHONPATH")])]
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
        connection = Cluster(SHARDS)
    yield connection.ray
    with warnings.catch_warnings():  # Ray leaves its own processes to the collector of garbage, and that is now
        warnings.simplefilter("ignore", ResourceWarning)
        connection.close()
        gc.collect()


@pytest.fixture
def kept_actors(ray: Any, monkeypatch: pytest.MonkeyPatch, pool: list[Any]) -> Iterator[None]:
    """Let actors be made anew inside processes that run already, and not be killed at the end.

    Those that a test leaves running are killed: they would keep the processors from all that follow.
    """
    running: list[Any] = []

    class Sparing:
        def __getattr__(self, name: str) -> Any:
            return getattr(ray, name)

        def kill(self, actor: Any) -> None:
            running.remove(actor)
            pool.append(actor)

    class Warm(Cluster):
        def __init__(self, cpus: int, address: str, stopping: Callable[[], bool]) -> None:
            super().__init__(cpus, address, stopping)
            self.ray = Sparing()

        def start(self, kind: type, *arguments: Any) -> Any:
            if not pool:
                running.append(super().start(kind, *arguments))
                return running[-1]
            running.append(pool.pop())
            again = running[-1].__ray_call__.remote(lambda self, *parts: type(self).__init__(self, *parts), *arguments)
            ray.get(again, timeout=60)
            return running[-1]

    monkeypatch.setattr(ray_transport, "Cluster", Warm)
    yield
    for actor in running:
        ray.kill(actor)


@pytest.fixture(scope="module")
def pool(ray: Any) -> Iterator[list[Any]]:
    actors: list[Any] = []
    yield actors
    for actor in actors:
        ray.kill(actor)
