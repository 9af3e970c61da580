"""A spec's workers in several processes: each deals the data to all workers by itself and keeps its own part."""

from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from holdfast import kernels
from holdfast.engines.adversary import Adversary
from holdfast.engines.engine_options import Ray
from holdfast.engines.ray import RayTransport
from holdfast.engines.remote import Agreement, Remote, Station, divide
from holdfast.engines.wire import Kind
from holdfast.engines.worker_group import Participation
from holdfast.methods import Setting
from holdfast.problems import Separable, oracle_under
from holdfast.runs.composition import attack_and_byzantine, make_program, participants
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import Workbench
from holdfast.typing import Vector, Workers


def on_ray(spec: Spec, options: Ray, setting: Setting, start: Vector) -> Remote:
    """Return the spec's workers on Ray. Nothing starts before it is needed."""
    parts = divide(participants(spec), options.processes)
    return Remote(
        agreement(spec, setting),
        start,
        RayTransport([partial(station, spec, setting, part) for part in parts], options.address),
        parts,
        timeout=options.round_timeout or None,
        least=options.min_workers,
    )


def station(spec: Spec, setting: Setting, workers: Workers) -> Station:
    """Return these workers of a spec in this process, one thread for all: the processes themselves fill the cores."""
    threadpool_limits(1)
    kernels.set_threads(1)
    problem = Workbench().build(spec).problem
    own = problem.only(int(workers[0]), int(workers[-1])) if isinstance(problem, Separable) else problem
    start = own.start()
    attack, byzantine = attack_and_byzantine(spec)
    here = np.intersect1d(np.array(byzantine, dtype=np.int64), workers)
    oracle = oracle_under(attack, own, workers, here, spec.seed)
    built = Station(agreement(spec, setting), oracle, start, workers)
    built.warm_up(start)
    return built


def agreement(spec: Spec, setting: Setting) -> Agreement:
    """Return what the master's process and all stations must agree on; each makes it of the same spec."""
    workers = participants(spec)
    attack, byzantine = attack_and_byzantine(spec)
    return Agreement(
        make_program(spec, setting),
        Adversary(attack, workers, byzantine, spec.seed, computing_always=spec.byzantine_work == "always"),
        Participation(workers, spec.participation, spec.seed),
        Kind.MODEL if spec.method.penalised else Kind.GRADIENT,
    )
