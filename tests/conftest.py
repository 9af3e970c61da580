"""What the tests share: how hard hypothesis looks, compiled kernels, surveys, small pictures, small problems."""

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import vl_convert
from hypothesis import settings
from numpy.typing import DTypeLike

from holdfast.problems import REGISTRY, LinearProblem, Shards
from holdfast.runs.auto import Surveys
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

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
def shared_surveys() -> Iterator[None]:
    """Measure a problem once for all runs of it, as a comparison does: it takes ten times a run of a few rounds."""
    surveys = Surveys()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.runs.auto.Surveys", lambda: surveys)
        yield


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile the kernels first: a machine on which they are not is told of the wait."""
    run(Spec(data="digits", rounds=1))
