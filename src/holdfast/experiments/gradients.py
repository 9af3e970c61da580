"""How the gradients of a network are computed: chosen by timing when a run begins, and kept from then on."""

from dataclasses import replace

import numpy as np

from holdfast.engines.options import Ray
from holdfast.experiments.building import build_problem
from holdfast.experiments.parts import attack_and_byzantine, participants
from holdfast.experiments.spec import Spec
from holdfast.problems import ModuleProblem


def with_gradients(spec: Spec) -> Spec:
    """Return the spec with how its gradients are computed, if its problem is a network.

    The last bits depend on it, so that it is part of what a run computes: recorded, and resumed with on any engine.
    """
    from holdfast.problems.modules.choosing import choose

    problem = build_problem(spec)[1]
    if not isinstance(problem, ModuleProblem):
        return spec
    # where workers are asked at random, groups would mostly be empty: the loop
    way = spec.gradients or ("loop" if spec.participation < 1 else None)
    chosen = choose(problem, _together(spec), not spec.method.penalised, way, spec.chunk)
    return replace(spec, gradients=chosen.way, chunk=chosen.chunk)


def _together(spec: Spec) -> int:
    """Return how many workers compute in one process."""
    attack, byzantine = attack_and_byzantine(spec)
    idle = byzantine if attack is not None and not attack.uses_own and spec.byzantine_work == "needed" else ()
    computing = len(np.setdiff1d(participants(spec), np.array(idle, dtype=np.int64)))
    return -(-computing // spec.engine.processes) if isinstance(spec.engine, Ray) else computing
