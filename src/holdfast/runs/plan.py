"""Defaults that depend on the rest of a spec, and what of a spec its method ignores."""

from dataclasses import replace
from os.path import isfile
from pathlib import Path
from typing import Any, Literal

import numpy as np

from holdfast.data import FILE_TYPES, REGISTRY, Dataset, Table
from holdfast.engines.options import InProcess, Ray
from holdfast.methods import AUTO
from holdfast.problems import ModuleProblem, Problem, guess
from holdfast.runs.composition import attack_and_byzantine, participants
from holdfast.runs.problem_building import build_problem, loaded
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, problem_text
from holdfast.theory import steps

SCALE = {"digits": 16.0}
"""Digits have 16 grey levels: times 16 they span a byte, as MNIST's pixels do."""


OF_A_MODEL: dict[str, Any] = {"normalise": "mean-std", "augment": "none", "device": "cpu"}
"""What is said of the samples of a network."""


def resolved(spec: Spec) -> Spec:
    """Return the spec with every `None` filled in; only the rate of a theorem's schedule stays open.

    What is `auto` stays so until the data are there (`holdfast.runs.auto`).

    >>> spec = resolved(Spec(method="rsa:messages=bits"))
    >>> spec.method.norm, spec.method.penalty, spec.rate, spec.scale
    (1.0, 'auto', 'auto', 1.0)
    """
    method, data = spec.method.resolved(), _located(spec.data)
    return replace(
        spec,
        method=method,
        data=data,
        problem=_guessed(data) if spec.problem is None else spec.problem,
        rate=AUTO if spec.rate is None and spec.schedule not in steps.REGISTRY else spec.rate,
        scale=_scale(data) if spec.scale is None else spec.scale,
        l2=_l2(data) if spec.l2 is None else spec.l2,
        **({} if spec.model is None else {key: getattr(spec, key) or value for key, value in OF_A_MODEL.items()}),
        declared=spec.q if spec.declared is None else spec.declared,
    )


def _located(data: Any) -> Any:
    """Return data whose files are named by whole paths."""
    if isinstance(data, Table):
        return data.relocate(lambda path: str(Path(path).resolve()))
    file = isinstance(data, str) and Path(data).suffix in FILE_TYPES and isfile(data)
    return str(Path(data).resolve()) if file else data


def _guessed(data: Any) -> str:
    """Return the problem that fits the target; the sets of ours all have classes, and are not loaded to tell."""
    return "softmax" if isinstance(data, str) and data in REGISTRY else guess(loaded(data)).name


def _scale(data: Any) -> float | Literal["standard"]:
    return "standard" if _tabular(data) else SCALE.get(data, 1.0) if isinstance(data, str) else 1.0


def _l2(data: Any) -> float:
    # on standardised features lambda is small, and the paper's 0.01 would keep RSA's model too short
    return 0.0 if _tabular(data) else 0.01


def _tabular(data: Any) -> bool:
    return isinstance(data, Table) or (isinstance(data, Dataset) and data.layout is not None)


def canonical(spec: Spec) -> Spec:
    """Return the spec without what its method ignores: where nobody lies, no attack matters; no engine ever does."""
    spec = replace(spec, engine=InProcess())
    if spec.method.attacked or spec.method.participants == "honest":
        return spec
    return replace(spec, attack=None, byzantine=0, declared=0)


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


def guesses(asked: Spec, spec: Spec) -> list[str]:
    """Return a line for each thing that the data decided when `asked` was resolved to `spec`; none for sets of ours."""
    made = not isinstance(spec.problem, str | type) and isinstance(spec.problem, Problem)
    if made or (isinstance(spec.data, str) and spec.data in REGISTRY):
        return []
    dataset = loaded(spec.data)
    found = [f"{data_text(asked.data)}: {dataset.notes[0]}", *dataset.notes[1:]] if dataset.notes else []
    if asked.problem is None:
        found.append(f"problem: {problem_text(spec.problem)}, since {guess(dataset).why} (--problem names another)")
    if asked.scale is None and spec.scale == "standard":
        found.append("features: standardised by what the workers report (--scale 1 leaves them as they are)")
    return found
