"""A spec on nodes: each side makes its part of the same spec, and of the problem as that side sees it."""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from holdfast.runs.composition import check, setting_of
from holdfast.runs.problem_building import build_problem
from holdfast.runs.ray_stations import agreement
from holdfast.runs.spec import Spec
from holdfast.typing import Messages, Vector

AGAIN = 5
"""How often a round is asked again in which too few answered: one reply of many bytes can hold up all others."""

Task = Callable[[Spec, int | None], Problem]
"""Makes the problem as the node of a worker sees it, with that worker's samples; for None as the server does."""


class Round(NamedTuple):
    """What the server knows after a round."""

    number: int
    model: Vector
    metrics: dict[str, float]
    answered: int
    faults: list[str]


def from_spec(spec: Spec, worker: int | None) -> Problem:
    """Make the problem of the spec's own data, dealt by its seed: every node deals all of it and keeps its part."""
    _, problem = build_problem(spec)
    return problem.only(worker, worker) if worker is not None and isinstance(problem, Separable) else problem


def with_numbers(spec: Spec, task: Task = from_spec) -> Spec:
    """Return a resolved spec with lambda and alpha, found from the spec's own data; for others they must be given."""
    if task is from_spec:
        return resolve_auto(spec)
    if is_auto(spec):
        need = (
            "a federation needs numbers, rsa:penalty=... and rate=...: auto asks all workers, nodes answer rounds only"
        )
        raise InvalidInput(f"{need}; got auto")
    return spec


def station(spec: Spec, worker: int, task: Task = from_spec, attack: Any = None) -> Station:
    """Return the station of a worker's node; with an attack, of a Byzantine one."""
    threadpool_limits(1)
    kernels.set_threads(1)
    if attack is not None:
        spec = replace(spec, attack=make_local_attack(attack), byzantine=(worker,))
    problem, workers = task(spec, worker), np.array([worker])
    setting = setting_of(spec, problem)
    oracle = oracle_under(spec.attack, problem, workers, workers, spec.seed)
    return Station(agreement(spec, setting), oracle, problem.start(), workers)


def federated(
    spec: Spec,
    transport: Transport,
    *,
    task: Task = from_spec,
    timeout: float | None = None,
    least: int = 1,
    folder: Path | None = None,
) -> Generator[Round, None, None]:
    """Train a resolved spec on nodes, one worker each, and yield every round; with a folder it can be gone on with.

    Nodes are not trusted: what they answer is checked, and errors that they report make them absent.
    """
    if spec.attack is not None or spec.byzantine_workers:
        raise InvalidInput("a federation's server does not know who attacks; got an attack in the spec")
    if spec.method.participants != "everyone":
        raise InvalidInput(f"a federation needs a method in which everyone takes part; got {spec.method_name}")
    if spec.weights != "equal" and task is not from_spec:
        raise InvalidInput(f"a server that has no samples cannot count them; got weights={spec.weights}")
    check(spec)
    problem = task(spec, None)
    setting = setting_of(spec, problem)
    parts = [np.array([worker]) for worker in range(1, spec.workers + 1)]
    agreed = agreement(spec, setting)
    engine = Remote(
        agreed,
        problem.start(),
        transport,
        parts,
        timeout=timeout,
        least=least,
        trusted=False,
        autonomous=True,
    )
    kept = MasterFile(folder, spec)
    first, begun = kept.restored(agreed.program.init(problem.start()))
    try:
        for number, (state, why) in enumerate(
            _rounds(agreed.program, engine, begun, range(first, spec.rounds)), start=first + 1
        ):
            kept.save(number, state)
            absent, engine.absent = engine.absent, 0
            faults = list(dict.fromkeys(line for line in engine.faults if line.startswith(f"round {number}:")))
            if why:
                faults.append(f"round {number}: the model stays as it was: {why}")
            yield Round(number, state.model, dict(problem.evaluate(state.model)), engine.voters - absent, faults)
    finally:
        engine.close()


def _rounds(program: Program, engine: Remote, state: Served, rounds: range) -> Iterator[tuple[Served, str]]:
    """Yield the master's state after every round, and why it is the old one, if it is.

    Missing or oversized replies do not stop a federation: where the rule cannot work with what came, or the model would
    not stay finite, the model stays as it was.
    """
    for round in rounds:
        messages = _answers(engine, state, round)
        try:
            state, why = try_fewer(program, engine.unfit, partial(_step, state, messages)), ""
        except (InvalidInput, OverflowError) as error:
            why = str(error)
        yield state, why


def _step(state: Served, messages: Messages, program: Program) -> Served:
    stepped = program.step(state, messages)
    if not np.isfinite(stepped.model).all():
        raise OverflowError("a model must stay finite; got an overflow")
    return stepped


def _answers(engine: Remote, state: Served, round: int) -> Messages:
    """Return the answers to a round; one that too few answer is asked again, AGAIN times at most."""
    for _ in range(AGAIN):
        with suppress(TooFew):
            return engine.exchange(state, round)
    return engine.exchange(state, round)
