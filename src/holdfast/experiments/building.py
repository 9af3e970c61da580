"""From a spec's data, partition and problem to what is learned."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.data import REGISTRY as DATA
from holdfast.data import Dataset, Partition, load
from holdfast.errors import InvalidInput
from holdfast.experiments.spec import Spec, require_number
from holdfast.problems import PROBLEMS, ModuleProblem, Problem
from holdfast.problems.modules.losses import LOSSES


class Network(NamedTuple):
    """What a spec says of a PyTorch model."""

    model: Any
    normalise: Any
    augment: Any
    device: Any


def build_problem(spec: Spec) -> tuple[Dataset | None, Problem]:
    """Return the problem of a spec and the data set that it is made of, if that is known."""
    if not isinstance(spec.problem, str | type) and isinstance(spec.problem, Problem):
        return None, _served(_fitting(spec.problem, spec), spec)
    dataset, problem = _built(
        spec.problem,
        spec.data,
        _version(spec.data),
        spec.partition,
        spec.workers,
        spec.batch,
        require_number(spec.scale),
        1 / spec.workers if spec.weighting == "mean" else 1.0,
        spec.dtype,
        spec.seed,
        None if spec.model is None else Network(spec.model, spec.normalise, spec.augment, spec.device),
    )
    return dataset, _served(_fitting(problem, spec), spec)


def _served(problem: Problem, spec: Spec) -> Problem:
    """Return the problem with its gradients computed as the engine says, if it has a choice."""
    if not isinstance(problem, ModuleProblem):
        if spec.engine.gradients or spec.engine.chunk:
            raise InvalidInput(f"gradients and chunk are options of a model; got problem {type(problem).__name__}")
        return problem
    return problem.using(spec.engine.gradients or problem.way, spec.engine.chunk or problem.chunk)


def _fitting(problem: Problem, spec: Spec) -> Problem:
    if not np.array_equal(problem.workers, np.arange(1, spec.workers + 1)):
        raise InvalidInput(f"a problem must have the workers 1 to {spec.workers}; got {len(problem.workers)} workers")
    return problem


@lru_cache(maxsize=1)  # runs that follow each other mostly differ in their method only
def _built(
    kind: Any,
    data: Any,
    version: tuple[int, int] | None,
    partition: Partition,
    workers: int,
    batch: int,
    scale: float,
    weight: float,
    dtype: str,
    seed: int,
    network: Network | None,
) -> tuple[Dataset, Problem]:
    dataset = _loaded(data, version)
    factory = PROBLEMS.make(kind) if isinstance(kind, str) else kind
    make = getattr(factory, "of", factory) if network is None else _with_network(factory, network)
    problem = make(dataset, partition, workers, batch, scale=scale, weight=weight, dtype=dtype, seed=seed)
    if not isinstance(problem, Problem):
        raise InvalidInput(f"a problem must have what holdfast.problems.Problem asks for; got {type(problem).__name__}")
    return dataset, problem


def _with_network(kind: Any, network: Network) -> Any:
    if kind not in LOSSES:
        known = ", ".join(PROBLEMS.registry)
        raise InvalidInput(f"a model takes its loss from one of the problems {known}; got {kind!r}")
    return partial(ModuleProblem.of, kind=kind, **network._asdict())


def loaded(data: Any) -> Dataset:
    """Return the data set, again from memory if it is the one last asked for."""
    return _loaded(data, _version(data))


def _version(data: Any) -> tuple[int, int] | None:
    """Return when and how long a data file was written: a changed one is another one."""
    if not isinstance(data, str) or data in DATA:
        return None
    try:
        about = Path(data).stat()
    except (OSError, ValueError):  # loading says what is wrong with it
        return None
    return about.st_mtime_ns, about.st_size


def forget() -> None:
    """Let go of the data that were kept in memory."""
    _built.cache_clear()
    _loaded.cache_clear()


@lru_cache(maxsize=1)
def _loaded(data: Any, version: tuple[int, int] | None) -> Dataset:
    return load(data)
