"""From a plan to the parts that run it."""

from dataclasses import dataclass

from holdfast.data import Dataset
from holdfast.engines import Engine
from holdfast.engines.engine_options import Ray
from holdfast.methods import Program
from holdfast.problems import Problem
from holdfast.runs.composition import make_program, make_setting, simulate_workers
from holdfast.runs.plan import Plan
from holdfast.runs.ray_stations import on_ray
from holdfast.runs.workbench import Built


@dataclass(frozen=True)
class Experiment:
    """The parts of a run, ready for its first round."""

    built: Built
    program: Program
    engine: Engine

    @property
    def dataset(self) -> Dataset | None:
        return self.built.dataset

    @property
    def problem(self) -> Problem:
        return self.built.problem


def assemble(plan: Plan) -> Experiment:
    """Return the parts of a plan."""
    spec, problem = plan.spec, plan.built.problem
    setting = make_setting(spec, problem)
    program = make_program(spec, setting)
    engine: Engine
    if isinstance(spec.engine, Ray):
        engine = on_ray(spec, spec.engine, setting, problem.start())
    else:
        engine = simulate_workers(spec, problem, program)
    return Experiment(plan.built, program, engine)
