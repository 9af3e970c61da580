"""From a spec to the parts that run it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from holdfast import attacks, data, methods, problems
from holdfast.data import Dataset, partitions
from holdfast.errors import InvalidInput, unknown
from holdfast.experiments.spec import Spec, number
from holdfast.fleets import Simulated
from holdfast.named import build
from holdfast.penalties import penalty
from holdfast.priors import Ridge
from holdfast.problems import LinearProblem
from holdfast.schedules import schedule
from holdfast.theory import Curvature, steps
from holdfast.typing import Method, Schedule, Worker, Workers
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
    prior, pull = Ridge(spec.l2), penalty(spec.norm, number(spec.penalty))
    attack_of(spec)  # an attack that nobody knows is an error even where nobody lies
    dataset, problem = learnt(spec)
    workers = participants(spec, problem)
    lying = spec.liars or () if _attacked(spec) else ()
    method = recipe.build(
        methods.Settings(
            penalty=pull,
            rate=_rate(spec, problem, prior, np.setdiff1d(workers, np.array(lying, dtype=np.int64))),
            prior=prior,
            byzantine=int(number(spec.declared)),
            reply=cast(Reply, spec.reply),
        )
    )
    fleet = fleet_of(spec, problem, method.worker, workers)
    experiment = Experiment(dataset, problem, prior, method, fleet)
    _rehearse(experiment)
    return experiment


def _rate(spec: Spec, problem: LinearProblem, prior: Ridge, regular: Workers) -> Schedule:
    if spec.schedule not in steps.REGISTRY:
        return schedule(spec.schedule, number(spec.rate))
    if spec.method not in methods.PENALISED:
        raise InvalidInput(f"{spec.schedule} is a step size of rsa and ideal-rsa; got method={spec.method}")
    high = None if spec.rate is None else number(spec.rate)
    return steps.REGISTRY[spec.schedule].of(Curvature.of(problem, prior, regular), high)


def participants(spec: Spec, problem: LinearProblem) -> Workers:
    """Return the workers that take part in the spec's method."""
    everyone = problem.shards.workers
    alone = methods.REGISTRY[spec.method].crew == "regular only"
    return np.setdiff1d(everyone, np.array(spec.liars, dtype=np.int64)) if alone else everyone


def fleet_of(spec: Spec, problem: LinearProblem, worker: Worker[Any], workers: Workers) -> Simulated:
    """Return these workers, all following the rule `worker` but for those whom the spec makes lie."""
    attack = attack_of(spec) if _attacked(spec) else None
    return Simulated(
        worker,
        problem.oracle(workers),
        problem.start(),
        workers,
        liars=() if attack is None else spec.liars or (),
        attack=attack,
        seed=spec.seed,
    )


def _attacked(spec: Spec) -> bool:
    return spec.attack != "none" and methods.REGISTRY[spec.method].crew == "attacked"


def attack_of(spec: Spec) -> attacks.Attack | None:
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
        number(spec.scale),
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
