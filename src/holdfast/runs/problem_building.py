"""From a spec's data, partition and problem to what is learned."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.data import REGISTRY, Dataset, Partition, Table, load
from holdfast.data.feature_scale import Scaling
from holdfast.errors import InvalidInput
from holdfast.problems import PROBLEMS, ModuleProblem, Problem
from holdfast.problems.modules.losses import LOSSES
from holdfast.runs.composition import attack_and_byzantine, participants
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.standardisation import Reporting

Version = tuple[tuple[int, int], ...]


def loaded(data: Any) -> Dataset:
    """Return the data set, again from memory if it is the one last asked for."""
    return _loaded(data, version_of(data))


def version_of(data: Any) -> Version:
    """Return when and how long the files of data were written: a changed one is another one."""
    if isinstance(data, Table):
        files = [file for file in (data.path, data.test) if file is not None]
    else:
        files = [data] if isinstance(data, str) and data not in REGISTRY else []
    try:
        return tuple((about.st_mtime_ns, about.st_size) for about in (Path(file).stat() for file in files))
    except (OSError, ValueError):  # loading says what is wrong with it
        return ()


def forget_data() -> None:
    """Let go of what is kept in memory."""
    _loaded.cache_clear()


@lru_cache(maxsize=1)
def _loaded(data: Any, version: Version) -> Dataset:
    return load(data)


class Network(NamedTuple):
    """What a spec says of a PyTorch model."""

    model: Any
    normalise: Any
    augment: Any
    device: Any


STANDARD = "standard"


def build_problem(spec: Spec) -> tuple[Dataset | None, Problem]:
    """Return the problem of a spec and the data set that it is made of, if that is known."""
    if not isinstance(spec.problem, str | type) and isinstance(spec.problem, Problem):
        return None, _served(_fitting(spec.problem, spec), spec)
    dataset, problem = _built(
        spec.problem,
        spec.data,
        version_of(spec.data),
        spec.dealing,
        spec.workers,
        spec.batch,
        1.0 if spec.scale == STANDARD else require_number(spec.scale),
        scaling_of(spec),
        1 / spec.workers if spec.weighting == "mean" else 1.0,
        spec.dtype,
        spec.seed,
        None if spec.model is None else Network(spec.model, spec.normalise, spec.augment, spec.device),
    )
    return dataset, _served(_fitting(problem, spec), spec)


def _served(problem: Problem, spec: Spec) -> Problem:
    """Return the problem with its gradients computed as the spec says, if it has a choice."""
    if not isinstance(problem, ModuleProblem):
        if spec.gradients or spec.chunk:
            raise InvalidInput(f"gradients and chunk are options of a model; got problem {type(problem).__name__}")
        return problem
    return problem.using(spec.gradients or problem.way, spec.chunk or problem.chunk)


def scaling_of(spec: Spec) -> Scaling | None:
    """Return what a resolved spec shifts and divides its features by; None where it does not."""
    if spec.scale != STANDARD:
        return None
    attack, byzantine = attack_and_byzantine(spec)
    reporting = Reporting(
        spec.dealing,
        spec.workers,
        tuple(participants(spec).tolist()),
        attack,
        byzantine,
        int(require_number(spec.declared)),
        spec.seed,
        with_target=not getattr(_factory(spec.problem), "classifies", True),
    )
    return _scaling(reporting, spec.data, version_of(spec.data))


@lru_cache(maxsize=1)
def _scaling(reporting: Reporting, data: Any, version: Version) -> Scaling:
    return reporting.scaling(loaded(data))


def _factory(kind: Any) -> Any:
    return PROBLEMS.make(kind) if isinstance(kind, str) else kind


def _fitting(problem: Problem, spec: Spec) -> Problem:
    if not np.array_equal(problem.workers, np.arange(1, spec.workers + 1)):
        raise InvalidInput(f"a problem must have the workers 1 to {spec.workers}; got {len(problem.workers)} workers")
    return problem


@lru_cache(maxsize=1)  # runs that follow each other mostly differ in their method only
def _built(
    kind: Any,
    data: Any,
    version: Version,
    partition: Partition,
    workers: int,
    batch: int,
    scale: float,
    scaling: Scaling | None,
    weight: float,
    dtype: str,
    seed: int,
    network: Network | None,
) -> tuple[Dataset, Problem]:
    dataset = loaded(data)
    factory = _factory(kind)
    make = getattr(factory, "of", factory) if network is None else _with_network(factory, network)
    given = dataset if scaling is None else scaling.dataset(dataset, dtype)
    problem = make(given, partition, workers, batch, scale=scale, weight=weight, dtype=dtype, seed=seed)
    if not isinstance(problem, Problem):
        raise InvalidInput(f"a problem must have what holdfast.problems.Problem asks for; got {type(problem).__name__}")
    return dataset, problem


def _with_network(kind: Any, network: Network) -> Any:
    if kind not in LOSSES:
        known = ", ".join(PROBLEMS.registry)
        raise InvalidInput(f"a model takes its loss from one of the problems {known}; got {kind!r}")
    return partial(ModuleProblem.of, kind=kind, **network._asdict())


def forget() -> None:
    """Let go of the data that were kept in memory."""
    _built.cache_clear()
    _scaling.cache_clear()
    forget_data()
