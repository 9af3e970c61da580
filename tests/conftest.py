"""What the tests share: how hard hypothesis looks, compiled kernels, small pictures and small problems."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from multiprocessing.context import BaseContext
from typing import Any

import numpy as np
import pytest
import vl_convert
from altair.utils.schemapi import debug_mode
from hypothesis import settings
from numpy.typing import DTypeLike

from holdfast import kernels
from holdfast.data import Dataset
from holdfast.problems import REGISTRY, LinearProblem, Shards
from holdfast.runs import workbench
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

FORKED = multiprocessing.get_context("forkserver")

settings.register_profile("holdfast", deadline=None, max_examples=60, derandomize="CI" in os.environ)
settings.load_profile("holdfast")


def _small_problem(
    kind: str,
    dtype: DTypeLike = np.float64,
    *,
    workers: int = 6,
    width: int = 4,
    batch: int = 8,
    weight: float = 0.25,
    least: int = 3,
) -> LinearProblem:
    """A problem whose workers differ: each has data around its own centre, `least` samples or a few more."""
    generator = np.random.default_rng(12)
    sizes = [least + worker % 3 for worker in range(workers)]
    owner = np.repeat(np.arange(workers), sizes)
    features = generator.normal(size=(len(owner), width)) + generator.normal(size=(workers, width))[owner]
    outputs, targets = {
        "softmax": (3, generator.integers(0, 3, len(owner))),
        "logistic": (1, generator.integers(0, 2, len(owner))),
        "least-squares": (1, features.sum(axis=1) + generator.normal(size=len(owner)) + owner),
    }[kind]
    parts = np.split(np.arange(len(owner)), np.cumsum(sizes)[:-1])
    shards = Shards.deal(features.astype(dtype), targets, parts, dtype=dtype)
    return REGISTRY[kind](shards, outputs, batch, weight, seed=5)


@pytest.fixture(scope="session")
def small_problem() -> Callable[..., LinearProblem]:
    """Return what makes a small problem with workers that differ."""
    return _small_problem


@pytest.fixture(scope="session", autouse=True)
def small_pictures() -> Iterator[None]:
    """Draw PNG files with an eighth of the pixels each way: they take most of the time of a command that draws."""
    draw = vl_convert.vegalite_to_png
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_png", lambda chart, scale: draw(chart, scale=scale / 8))
        yield


@pytest.fixture(scope="session", autouse=True)
def late_validation() -> Iterator[None]:
    """Compare a chart with altair's schema when it is drawn, not also each part of it when it is made."""
    with debug_mode(False):
        yield


@pytest.fixture(scope="session", autouse=True)
def warm_processes() -> Iterator[None]:
    """Fork the processes of pools from a warm one: a new one takes a second. Scripts that tests start are users'."""
    multiprocessing.set_forkserver_preload(["warm_pool"])
    get_context = multiprocessing.get_context

    def fork(method: str | None = None) -> BaseContext:
        if method != "spawn":
            return get_context(method)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
            forkserver.ensure_running()
        return FORKED

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", fork)
        yield


@pytest.fixture(scope="module")
def tabled() -> Iterator[None]:
    """Sort three rows or more by tables: a network written out takes a second to compile, one per number of rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "WRITTEN_OUT", 2)
        yield


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile the kernels first: a machine on which they are not is told of the wait."""
    run(Spec(data="digits", rounds=1))


@pytest.fixture
def problems_made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The kinds of the problems that are made from now on, one entry each."""
    made: list[object] = []
    find = workbench._find_maker

    def count(kind: Any, network: Any) -> Any:
        made.append(kind)
        return find(kind, network)

    monkeypatch.setattr(workbench, "_find_maker", count)
    workbench.SHARED.clear()
    return made


@pytest.fixture
def data_loaded(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The data that are loaded from now on, one entry each."""
    loaded: list[object] = []
    load = workbench.load

    def count(data: Any) -> Dataset:
        loaded.append(data)
        return load(data)

    monkeypatch.setattr(workbench, "load", count)
    workbench.SHARED.clear()
    return loaded
