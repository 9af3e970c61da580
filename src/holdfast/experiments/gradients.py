"""How the gradients of a network are computed: chosen by timing when a run begins, and kept from then on."""

from dataclasses import replace

import numpy as np

from holdfast.engines.options import EngineOptions, Ray
from holdfast.experiments.building import build_problem
from holdfast.experiments.parts import attack_and_byzantine, participants
from holdfast.experiments.spec import Spec
from holdfast.problems import ModuleProblem


def with_gradients(spec: Spec) -> Spec:
    """Return the spec with an engine that says how gradients are computed, if its problem is a network.

    Only the last bits depend on it. It stands where the engine is recorded, so that a run resumes with it.
    """
    from holdfast.problems.modules.choosing import choose

    problem = build_problem(spec)[1]
    if not isinstance(problem, ModuleProblem):
        return spec
    engine = spec.engine
    chosen = choose(problem, _together(spec), not spec.method.penalised, _way(spec), engine.chunk)
    return replace(spec, engine=replace(engine, gradients=chosen.way, chunk=chosen.chunk))


def _way(spec: Spec) -> str | None:
    """Return the way that is asked for; where workers are asked at random, groups would mostly be empty: the loop."""
    return spec.engine.gradients or ("loop" if spec.participation < 1 else None)


def with_gradients_of(spec: Spec, engine: EngineOptions) -> Spec:
    """Return the spec on another engine, which computes gradients as before unless it says otherwise."""
    before = spec.engine
    same = replace(engine, gradients=engine.gradients or before.gradients, chunk=engine.chunk or before.chunk)
    return replace(spec, engine=same)


def _together(spec: Spec) -> int:
    """Return how many workers compute in one process."""
    attack, byzantine = attack_and_byzantine(spec)
    idle = byzantine if attack is not None and not attack.uses_own and spec.byzantine_work == "needed" else ()
    computing = len(np.setdiff1d(participants(spec), np.array(idle, dtype=np.int64)))
    return -(-computing // spec.engine.processes) if isinstance(spec.engine, Ray) else computing
