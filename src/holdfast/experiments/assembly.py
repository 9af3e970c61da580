"""From a spec to the parts that run it."""

from dataclasses import dataclass
from typing import Any

from holdfast.data import Dataset
from holdfast.engines import Engine
from holdfast.engines.options import Ray
from holdfast.experiments.building import build_problem
from holdfast.experiments.parts import check, setting_of, simulated, worker_of
from holdfast.experiments.sharding import on_ray
from holdfast.experiments.spec import Spec
from holdfast.methods.priors import Ridge
from holdfast.problems import Problem
from holdfast.typing import Master, Worker


@dataclass(frozen=True)
class Experiment:
    """The parts of a run, ready for its first round."""

    dataset: Dataset | None
    problem: Problem
    prior: Ridge
    worker: Worker[Any]
    master: Master[Any]
    engine: Engine


def assemble(spec: Spec) -> Experiment:
    """Return the parts of a resolved spec. Whatever cannot work is said here, before anything runs."""
    check(spec)
    dataset, problem = build_problem(spec)
    setting = setting_of(spec, problem)
    worker, master = worker_of(spec, setting), spec.method.master(setting)
    engine: Engine
    if isinstance(spec.engine, Ray):
        engine = on_ray(spec, spec.engine, setting, problem.start())
    else:
        engine = simulated(spec, problem, worker, spec.participation, spec.method.reading(spec.seed))
    return Experiment(dataset, problem, setting.prior, worker, master, engine)
