"""What a spec says of its run's parts, one question at a time."""

from dataclasses import replace

import numpy as np

from holdfast.attacks import Attack
from holdfast.engines import Participation, Simulated
from holdfast.engines.engine import Traffic
from holdfast.engines.remote.following import expect_traffic
from holdfast.engines.wire import Kind
from holdfast.errors import InvalidInput
from holdfast.methods import AUTO, Method, Program, Rsa, Setting, WithMomentum, with_reduction
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import Constant, schedule
from holdfast.problems import Classifying, Divisible, Problem, oracle_under, solvable
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.theory import Curvature, steps
from holdfast.typing import Messages, Schedule, Vector, Workers


def check(spec: Spec) -> None:
    """Say what cannot work without loading any data: a rule with too few workers, an attack that lacks its victim."""
    attack, byzantine = attack_and_byzantine(spec)
    workers = participants(spec)
    if attack is not None:
        attack.check(np.setdiff1d(workers, byzantine))
        attack.check_counts(len(workers), len(byzantine))
    by_theorem = spec.schedule in steps.REGISTRY
    if by_theorem and not isinstance(spec.method, Rsa):
        raise InvalidInput(f"{spec.schedule} is a step size of rsa and ideal-rsa; got method={spec.method_name}")
    rate: Schedule = Constant(1.0)
    if not by_theorem and spec.rate != AUTO:
        rate = schedule(spec.schedule, require_number(spec.rate), spec.rounds)
    weights = (1.0,) * spec.workers if spec.weights == "samples" else ()
    if weights and not spec.method.weighs:
        raise InvalidInput(f"weights of workers need a method that heeds them; got {spec.method_name}")
    declared = int(require_number(spec.declared))
    setting = Setting(rate, Ridge(require_number(spec.l2)), declared, weights=weights)
    # 1 stands for a penalty that is still to be inferred
    method = spec.method.with_penalty(1.0)
    program = make_program(spec, setting, method)
    if not spec.method.penalised:
        n = Participation(workers, spec.participation, spec.seed).size
        nothing = np.zeros((n, 2), spec.dtype)
        program.step(program.init(nothing[0]), Messages(nothing, workers[:n], 0, spec.seed))
    if AUTO in (spec.rate, spec.method.penalty) and 2 * len(byzantine) >= len(workers):
        raise InvalidInput(
            "lambda and alpha by rule need fewer than half of the workers Byzantine, else give numbers, such as "
            f"method rsa:penalty=0.1 and rate 0.001; got {len(byzantine)} of {len(workers)}"
        )


def make_setting(spec: Spec, problem: Problem) -> Setting:
    """Return what the run tells its method."""
    declared, table = int(require_number(spec.declared)), getattr(problem, "table", 0)
    return Setting(_rate(spec, problem), Ridge(require_number(spec.l2)), declared, table, _weights(spec, problem))


def _weights(spec: Spec, problem: Problem) -> tuple[float, ...]:
    """Return each worker's number of samples, at most `weight_cap` times their mean, over the mean of these numbers.

    They are the server's: of the partition that it dealt, not what workers say of themselves.
    """
    if spec.weights == "equal":
        return ()
    if not isinstance(problem, Classifying):
        raise InvalidInput(f"weights by samples need a problem that counts them; got {type(problem).__name__}")
    counts = np.diff(problem.shards.starts).astype(np.float64)
    capped = np.minimum(counts, spec.weight_cap * counts.mean())
    return tuple((capped / capped.mean()).tolist())


def make_program(spec: Spec, setting: Setting, method: Method | None = None) -> Program:
    """Return the program of the spec's method, or of another one, with the spec's momentum and variance reduction."""
    program = (method or spec.method).program(setting)
    averaged = WithMomentum(program.worker, spec.momentum) if spec.momentum else program.worker
    return replace(program, worker=with_reduction(spec.reduction, averaged, setting.table))


def _rate(spec: Spec, problem: Problem) -> Schedule:
    if spec.schedule not in steps.REGISTRY:
        return schedule(spec.schedule, require_number(spec.rate), spec.rounds)
    honest = np.setdiff1d(participants(spec), np.array(attack_and_byzantine(spec)[1], dtype=np.int64))
    curvature = Curvature.of(solvable(problem, spec.schedule), Ridge(require_number(spec.l2)), honest)
    return steps.REGISTRY[spec.schedule].of(curvature, None if spec.rate is None else require_number(spec.rate))


def participants(spec: Spec) -> Workers:
    """Return the workers that take part in the spec's method."""
    everyone = np.arange(1, spec.workers + 1)
    if spec.method.participants == "everyone":
        return everyone
    return np.setdiff1d(everyone, np.array(spec.byzantine_workers, dtype=np.int64))


def attack_and_byzantine(spec: Spec) -> tuple[Attack | None, tuple[int, ...]]:
    """Return the attack on this method, if any, and the workers that take part in the attack."""
    if spec.attack is None or not spec.method.attacked:
        return None, ()
    return spec.attack, spec.byzantine_workers


def simulate_workers(spec: Spec, problem: Problem, program: Program) -> Simulated:
    """Return the spec's workers in this process, playing a program."""
    attack, byzantine = attack_and_byzantine(spec)
    workers = participants(spec)
    oracle = oracle_under(attack, problem, workers, np.array(byzantine, dtype=np.int64), spec.seed)
    share = spec.participation
    if share < 1 and not isinstance(oracle, Divisible):
        raise InvalidInput(
            f"participation below 1 needs an oracle with `only(workers)`; got {type(oracle).__name__} and {share:g}"
        )
    return Simulated(
        program,
        oracle,
        problem.start(),
        workers,
        byzantine=byzantine,
        attack=attack,
        seed=spec.seed,
        share=share,
        computing_always=spec.byzantine_work == "always",
    )


def estimate_traffic(spec: Spec, program: Program, model: Vector, rounds: int, voters: int) -> Traffic:
    """Return the bytes that a worker sends and receives in a round, as frames of such messages have them."""
    numbers = Kind.MODEL if spec.method.penalised else Kind.GRADIENT
    sent = Kind.SIDES if program.sends_bits else numbers
    return expect_traffic(sent, len(model), model.dtype, rounds, voters, follow=program.counts)
