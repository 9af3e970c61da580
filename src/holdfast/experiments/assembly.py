"""From a spec to the parts that run it."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from holdfast import attacks, data, methods, problems
from holdfast.data import Dataset, partitions
from holdfast.errors import InvalidInput
from holdfast.experiments.spec import Spec
from holdfast.fleets import Simulated
from holdfast.named import build
from holdfast.penalties import penalty
from holdfast.priors import Ridge
from holdfast.problems import LinearProblem, Shards
from holdfast.schedules import schedule
from holdfast.streams import Stream
from holdfast.typing import Method
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
    prior = Ridge(spec.l2)
    method = recipe.build(
        methods.Settings(
            penalty=penalty(spec.norm, _given(spec.penalty)),
            rate=schedule(spec.schedule, _given(spec.rate)),
            prior=prior,
            byzantine=int(_given(spec.declared)),
            reply=cast(Reply, spec.reply),
        )
    )
    attack = None if spec.attack == "none" else build("attack", spec.attack, attacks.REGISTRY)
    if recipe.crew != "attacked":
        attack = None
    dataset, problem = _learnt(spec)
    workers, liars = problem.shards.workers, np.array(spec.liars, dtype=np.int64)
    if recipe.crew == "regular only":
        workers = np.setdiff1d(workers, liars)
    fleet = Simulated(
        method.worker,
        problem.oracle(workers),
        problem.start(),
        workers,
        liars=() if attack is None else liars,
        attack=attack,
        seed=spec.seed,
    )
    experiment = Experiment(dataset, problem, prior, method, fleet)
    _rehearse(experiment)
    return experiment


def _rehearse(experiment: Experiment) -> None:
    """Play the first round and forget it: a rule with too few workers says so now."""
    master, fleet, before = experiment.method.master, experiment.fleet, experiment.fleet.state
    start = master.init(experiment.problem.start())
    master.step(start, fleet.exchange(start.model, 0), 0)
    fleet.state = before


def _learnt(spec: Spec) -> tuple[Dataset, LinearProblem]:
    """Return the data set and the problem that the spec makes of it."""
    partition = build("partition", spec.partition, partitions.REGISTRY)
    dataset, outputs = _loaded(spec.data), 1
    if spec.problem != "least-squares":
        dataset, classes = _classified(dataset, spec.problem)
        outputs = classes if spec.problem == "softmax" else 1
    parts = partition.deal(dataset.train_targets, spec.workers, Stream(spec.seed, "partition").generator())
    shards = Shards.deal(dataset.train_features, dataset.train_targets, parts, _given(spec.scale), np.dtype(spec.dtype))
    weight = 1 / spec.workers if spec.weighting == "mean" else 1.0
    return dataset, problems.REGISTRY[spec.problem](shards, outputs, spec.batch, weight, spec.seed)


@lru_cache(maxsize=1)
def _loaded(name: str) -> Dataset:
    return data.load(name)


def _classified(dataset: Dataset, problem: str) -> tuple[Dataset, int]:
    """Return the data with its labels numbered from 0, and how many classes there are."""
    both: NDArray[Any] = np.concatenate([dataset.train_targets, dataset.test_targets])
    fractional = both[both != np.round(both)]
    if len(fractional):
        raise InvalidInput(f"{problem} needs whole numbers as labels; got {fractional[0]} in {dataset.name}")
    classes, numbers = np.unique(both, return_inverse=True)
    if problem == "logistic" and len(classes) != 2:
        raise InvalidInput(f"logistic needs 2 classes; got {len(classes)} in {dataset.name}")
    train, test = np.split(numbers, [len(dataset.train_targets)])
    return replace(dataset, train_targets=train, test_targets=test), len(classes)


def _given(value: float | None) -> float:
    if value is None:
        raise InvalidInput("a spec must be resolved before it is assembled; got None for a default")
    return value
