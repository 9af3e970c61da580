"""From a spec to the parts that run it."""

from dataclasses import dataclass

from holdfast.data import Dataset
from holdfast.engines import Engine
from holdfast.engines.engine_options import Ray
from holdfast.methods import Program
from holdfast.problems import Problem
from holdfast.runs.composition import check, program_of, setting_of, simulated
from holdfast.runs.problem_building import build_problem
from holdfast.runs.ray_stations import on_ray
from holdfast.runs.spec import Spec


@dataclass(frozen=True)
class Experiment:
    """The parts of a run, ready for its first round."""

    dataset: Dataset | None
    problem: Problem
    program: Program
    engine: Engine


def assemble(spec: Spec) -> Experiment:
    """Return the parts of a resolved spec. Whatever cannot work is said here, before anything runs."""
    check(spec)
    dataset, problem = build_problem(spec)
    setting = setting_of(spec, problem)
    program = program_of(spec, setting)
    engine: Engine
    if isinstance(spec.engine, Ray):
        engine = on_ray(spec, spec.engine, setting, problem.start())
    else:
        engine = simulated(spec, problem, program)
    return Experiment(dataset, problem, program, engine)
