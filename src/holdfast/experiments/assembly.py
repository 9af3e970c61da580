"""From a spec to the parts that run it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np

from holdfast import attacks, data, methods, problems
from holdfast.data import Dataset, partitions
from holdfast.errors import InvalidInput, unknown
from holdfast.experiments.crew import crew
from holdfast.experiments.spec import Spec
from holdfast.fleets import Simulated
from holdfast.named import build
from holdfast.penalties import penalty
from holdfast.priors import Ridge
from holdfast.problems import LinearProblem
from holdfast.schedules import schedule
from holdfast.theory import Curvature, steps
from holdfast.typing import Method, Schedule, Workers
from holdfast.workers import Reply


@dataclass(frozen=True)
class Experiment:
    """The parts of a run, ready for its first round."""

    dataset: Dataset
    problem: LinearProblem
    prior: Ridge
    method: Method
    fleet: Simulated


def assemble(spec: Spec) -> Experiment:
    """Return the parts of a resolved spec. Whatever cannot work is said here, before anything runs."""
    recipe = methods.REGISTRY[spec.method]
    prior, pull, attack = Ridge(spec.l2), penalty(spec.norm, _given(spec.penalty)), _attack(spec)
    if recipe.crew != "attacked":
        attack = None
    dataset, problem = learnt(spec)
    workers, lying = crew(spec)
    method = recipe.build(
        methods.Settings(
            penalty=pull,
            rate=_rate(spec, problem, prior, np.setdiff1d(workers, lying)),
            prior=prior,
            byzantine=int(_given(spec.declared)),
            reply=cast(Reply, spec.reply),
        )
    )
    fleet = Simulated(
        method.worker,
        problem.oracle(workers),
        problem.start(),
        workers,
        liars=lying,
        attack=attack,
        seed=spec.seed,
    )
    experiment = Experiment(dataset, problem, prior, method, fleet)
    _rehearse(experiment)
    return experiment


def _rate(spec: Spec, problem: LinearProblem, prior: Ridge, regular: Workers) -> Schedule:
    if spec.schedule not in steps.REGISTRY:
        return schedule(spec.schedule, _given(spec.rate))
    if spec.method not in ("rsa", "ideal-rsa"):
        raise InvalidInput(f"{spec.schedule} is a step size of rsa and ideal-rsa; got method={spec.method}")
    return steps.REGISTRY[spec.schedule].of(Curvature.of(problem, prior, regular), spec.rate)


def _attack(spec: Spec) -> attacks.Attack | None:
    if spec.attack == "none":
        return None
    name = spec.attack.partition(":")[0]
    if name not in attacks.REGISTRY:
        raise unknown("attack", name, ["none", *attacks.REGISTRY])
    return build("attack", spec.attack, attacks.REGISTRY)


def _rehearse(experiment: Experiment) -> None:
    """Play the first round and forget it: a rule with too few workers says so now."""
    master, fleet, before = experiment.method.master, experiment.fleet, experiment.fleet.state
    start = master.init(experiment.problem.start())
    master.step(start, fleet.exchange(start.model, 0), 0)
    fleet.state = before


def learnt(spec: Spec) -> tuple[Dataset, LinearProblem]:
    """Return the data set and the problem that the spec makes of it."""
    return _dealt(
        spec.problem,
        spec.data,
        _version(spec.data),
        spec.partition,
        spec.workers,
        spec.batch,
        _given(spec.scale),
        1 / spec.workers if spec.weighting == "mean" else 1.0,
        spec.dtype,
        spec.seed,
    )


@lru_cache(maxsize=1)  # runs that follow each other mostly differ in their method only
def _dealt(
    kind: str,
    name: str,
    version: tuple[int, int] | None,
    dealing: str,
    workers: int,
    batch: int,
    scale: float,
    weight: float,
    dtype: str,
    seed: int,
) -> tuple[Dataset, LinearProblem]:
    partition = build("partition", dealing, partitions.REGISTRY)
    dataset = _loaded(name, version)
    if kind != "least-squares":
        dataset = dataset.numbered()
    if kind == "logistic" and dataset.classes != 2:
        raise InvalidInput(f"logistic needs 2 classes; got {dataset.classes} in {dataset.name}")
    problem = problems.REGISTRY[kind].of(
        dataset, partition, workers, batch, scale=scale, weight=weight, dtype=dtype, seed=seed
    )
    return dataset, problem


def loaded(name: str) -> Dataset:
    """Return the data set, again from memory if it is the one last asked for."""
    return _loaded(name, _version(name))


def _version(name: str) -> tuple[int, int] | None:
    """Return when and how long a data file was written: a changed one is another one."""
    if name in data.REGISTRY or not Path(name).is_file():
        return None
    about = Path(name).stat()
    return about.st_mtime_ns, about.st_size


@lru_cache(maxsize=1)
def _loaded(name: str, version: tuple[int, int] | None) -> Dataset:
    return data.load(name)


def _given(value: float | None) -> float:
    if value is None:
        raise InvalidInput("a spec must be resolved before it is assembled; got None for a default")
    return value
