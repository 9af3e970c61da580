"""From a spec to the parts that run it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from holdfast import attacks, data, methods, problems
from holdfast.data import Dataset, partitions
from holdfast.engines import Simulated
from holdfast.engines.protocol import Engine
from holdfast.engines.simulated import Reading, as_sent
from holdfast.errors import InvalidInput, unknown
from holdfast.experiments.spec import Spec, number
from holdfast.methods.penalties import penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import schedule
from holdfast.methods.workers import Reply
from holdfast.naming import build
from holdfast.onebit.coin import Coin, Counted, Settled
from holdfast.problems import LinearProblem
from holdfast.theory import Curvature, steps
from holdfast.typing import Method, Schedule, Worker, Workers


@dataclass(frozen=True)
class Experiment:
    """The parts of a run, ready for its first round."""

    dataset: Dataset
    problem: LinearProblem
    prior: Ridge
    method: Method
    fleet: Engine


def assemble(spec: Spec) -> Experiment:
    """Return the parts of a resolved spec. Whatever cannot work is said here, before anything runs."""
    attack_of(spec)  # a name that nobody knows is said even where nobody lies
    dataset, problem = learnt(spec)
    workers = participants(spec)
    method = _method(spec, problem, workers)
    fleet: Engine
    if spec.engine == "ray":
        from holdfast.experiments.sharding import sharded

        fleet = sharded(spec, method, workers)
    else:
        fleet = fleet_of(spec, problem, method.worker, workers, spec.participation, reading_of(spec))
    experiment = Experiment(dataset, problem, Ridge(spec.l2), method, fleet)
    _rehearse(experiment)
    return experiment


def _method(spec: Spec, problem: LinearProblem, workers: Workers) -> Method:
    prior = Ridge(spec.l2)
    regular = np.setdiff1d(workers, np.array(lying(spec)[1], dtype=np.int64))
    return spec.recipe.build(
        methods.Settings(
            penalty=penalty(spec.norm, number(spec.penalty)),
            rate=_rate(spec, problem, prior, regular),
            prior=prior,
            byzantine=int(number(spec.declared)),
            reply=cast(Reply, spec.reply),
            steps=spec.local_steps,
            bits=spec.messages == "bits",
        )
    )


def _rate(spec: Spec, problem: LinearProblem, prior: Ridge, regular: Workers) -> Schedule:
    if spec.schedule not in steps.REGISTRY:
        return schedule(spec.schedule, number(spec.rate))
    if not spec.recipe.penalised:
        raise InvalidInput(f"{spec.schedule} is a step size of rsa and ideal-rsa; got method={spec.method}")
    high = None if spec.rate is None else number(spec.rate)
    return steps.REGISTRY[spec.schedule].of(Curvature.of(problem, prior, regular), high)


def participants(spec: Spec) -> Workers:
    """Return the workers that take part in the spec's method."""
    everyone = np.arange(1, spec.workers + 1)
    alone = spec.recipe.crew == "regular only"
    return np.setdiff1d(everyone, np.array(spec.liars, dtype=np.int64)) if alone else everyone


def fleet_of(
    spec: Spec,
    problem: LinearProblem,
    worker: Worker[Any],
    workers: Workers,
    share: float = 1.0,
    reading: Reading = as_sent,
) -> Simulated:
    """Return these workers, all following the rule `worker` but for those whom the spec makes lie."""
    attack, liars = lying(spec)
    return Simulated(
        worker,
        problem.oracle(workers),
        problem.start(),
        workers,
        liars=liars,
        attack=cast(Any, attack),
        seed=spec.seed,
        share=share,
        working=works(spec),
        reading=reading,
    )


def lying(spec: Spec) -> tuple[attacks.Attack | None, tuple[int, ...]]:
    """Return the attack on this method, if any, and who takes part in it."""
    attack = attack_of(spec) if spec.recipe.crew == "attacked" else None
    return attack, (() if attack is None else spec.liars or ())


def works(spec: Spec) -> bool:
    """Return whether liars work out their true messages even where nobody needs them."""
    return spec.liars_work == "always"


def reading_of(spec: Spec) -> Reading:
    """Return what the master is given of the workers' messages."""
    if not spec.recipe.penalised or spec.ties == "zero":
        return as_sent
    return Counted(Coin(spec.seed)) if spec.messages == "bits" else Settled(Coin(spec.seed))


def attack_of(spec: Spec) -> attacks.Attack | None:
    """Return the attack that the spec names."""
    if spec.attack == "none":
        return None
    name = spec.attack.partition(":")[0]
    if name not in attacks.REGISTRY:
        raise unknown("attack", name, ["none", *attacks.REGISTRY])
    return build("attack", spec.attack, attacks.REGISTRY)


def _rehearse(experiment: Experiment) -> None:
    """Let the master read a first round that is then forgotten: a rule with too few workers says so now."""
    master = experiment.method.master
    start = master.init(experiment.problem.start())
    master.step(start, experiment.fleet.rehearsal(start.model), 0)


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


def forget() -> None:
    """Let go of the data that were kept in memory."""
    _dealt.cache_clear()
    _loaded.cache_clear()


@lru_cache(maxsize=1)
def _loaded(name: str, version: tuple[int, int] | None) -> Dataset:
    return data.load(name)
