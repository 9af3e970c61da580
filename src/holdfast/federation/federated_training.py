"""A spec trained on nodes: server and nodes each build their part from the same spec."""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from holdfast import kernels
from holdfast.engines.remote import Remote, Station
from holdfast.engines.transport import Transport
from holdfast.errors import InvalidInput, TooFew
from holdfast.federation.checkpoint_files import MasterFile
from holdfast.federation.compromise import make_local_attack
from holdfast.methods import Program, Served, try_fewer
from holdfast.problems import Problem, Separable, oracle_under
from holdfast.runs.auto import is_auto, resolve_auto
from holdfast.runs.composition import check, make_setting
from holdfast.runs.ray_stations import agreement
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.typing import Messages, Vector

RETRIES = 5
"""How often a round with too few answers is asked again: one large reply can hold up all others."""

Task = Callable[[Spec, int | None], Problem]
"""Builds the problem of a worker's node, with that worker's samples; for None the server's."""


class Round(NamedTuple):
    """What the server knows after a round."""

    number: int
    model: Vector
    metrics: dict[str, float]
    answered: int
    faults: list[str]


def build_from_spec(spec: Spec, worker: int | None) -> Problem:
    """Build the problem of the spec's own data: every node deals all samples by the seed and keeps its own."""
    problem = SHARED.build(spec).problem
    return problem.only(worker, worker) if worker is not None and isinstance(problem, Separable) else problem


def resolve_numbers(spec: Spec, task: Task = build_from_spec) -> Spec:
    """Return a resolved spec with numbers for penalty and rate: found from the spec's own data, else required."""
    if task is build_from_spec:
        return resolve_auto(spec)
    if is_auto(spec):
        need = "rsa:penalty=... and rate=...: auto asks all workers, nodes answer rounds only"
        raise InvalidInput(f"a federation needs numbers, {need}; got auto")
    return spec


def build_station(spec: Spec, worker: int, task: Task = build_from_spec, attack: object = None) -> Station:
    """Return the station of a worker's node; with an attack, of a Byzantine node."""
    threadpool_limits(1)
    kernels.set_threads(1)
    if attack is not None:
        spec = replace(spec, attack=make_local_attack(attack), byzantine=(worker,))
    problem, workers = task(spec, worker), np.array([worker])
    setting = make_setting(spec, problem)
    oracle = oracle_under(spec.attack, problem, workers, workers, spec.seed)
    return Station(agreement(spec, setting), oracle, problem.start(), workers)


def train_federation(
    spec: Spec,
    transport: Transport,
    *,
    task: Task = build_from_spec,
    timeout: float | None = None,
    least: int = 1,
    folder: Path | None = None,
) -> Generator[Round, None, None]:
    """Train a resolved spec on nodes, one worker each, and yield every round. With a folder, training can resume.

    Nodes are not trusted: answers are checked, and a node that reports an error is absent from the round.
    """
    if spec.attack is not None or spec.byzantine_workers:
        raise InvalidInput("a federation's server does not know which nodes attack; got an attack in the spec")
    if spec.method.participants != "everyone":
        raise InvalidInput(f"a federation needs a method in which all workers take part; got {spec.method_name}")
    if spec.weights != "equal" and task is not build_from_spec:
        raise InvalidInput(f"a server that has no samples cannot count them; got weights={spec.weights}")
    check(spec)
    problem = task(spec, None)
    setting = make_setting(spec, problem)
    parts = [np.array([worker]) for worker in range(1, spec.workers + 1)]
    agreed = agreement(spec, setting)
    engine = Remote(
        agreed, problem.start(), transport, parts, timeout=timeout, least=least, trusted=False, autonomous=True
    )
    file = MasterFile(folder, spec)
    first, state = file.restore(agreed.program.init(problem.start()))
    try:
        rounds = _play_rounds(agreed.program, engine, state, range(first, spec.rounds))
        for number, (state, why) in enumerate(rounds, start=first + 1):
            file.write(number, state)
            absent, engine.absent = engine.absent, 0
            faults = list(dict.fromkeys(line for line in engine.faults if line.startswith(f"round {number}:")))
            if why:
                faults.append(f"round {number}: the model stays as it was: {why}")
            yield Round(number, state.model, dict(problem.evaluate(state.model)), engine.voters - absent, faults)
    finally:
        engine.close()


def _play_rounds(program: Program, engine: Remote, state: Served, rounds: range) -> Iterator[tuple[Served, str]]:
    """Yield the master's state after every round, and why the state is unchanged, if it is.

    Missing or oversized replies do not stop the federation. The model stays as it was if the rule cannot work with
    the answers, or if the step would overflow.
    """
    for round in rounds:
        messages = _exchange(engine, state, round)
        try:
            state, why = try_fewer(program, engine.unfit, partial(_step, state, messages)), ""
        except (InvalidInput, OverflowError) as error:
            why = str(error)
        yield state, why


def _step(state: Served, messages: Messages, program: Program) -> Served:
    after = program.step(state, messages)
    if not np.isfinite(after.model).all():
        raise OverflowError("a model must stay finite; got an overflow")
    return after


def _exchange(engine: Remote, state: Served, round: int) -> Messages:
    """Return the answers to a round. A round with too few answers is asked again, RETRIES times at most."""
    for _ in range(RETRIES):
        with suppress(TooFew):
            return engine.exchange(state, round)
    return engine.exchange(state, round)
