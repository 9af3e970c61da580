"""From what was asked to what is computed: every default, number and choice of a spec filled in, once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from holdfast.data import Source, as_source
from holdfast.engines.engine_options import InProcess
from holdfast.methods import AUTO
from holdfast.problems import ModuleProblem, Problem, guess, is_problem
from holdfast.runs.auto import resolve_auto
from holdfast.runs.composition import attack_and_byzantine, check, participants
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, problem_text
from holdfast.runs.workbench import SHARED, STANDARD, Built, Workbench
from holdfast.theory import steps
from holdfast.typing import Json

SCALE = {"digits": 16.0}
"""Digits have 16 grey levels: times 16 they span a byte, as MNIST's pixels do."""


MODEL_DEFAULTS: dict[str, Any] = {"normalise": "mean-std", "augment": "none", "device": "cpu"}
"""What is said of the samples of a network."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What a run computes. Nothing after it asks for a default again."""

    asked: Spec
    spec: Spec
    """What was asked, with every default and number filled in."""
    built: Built


def make_plan(spec: Spec, bench: Workbench = SHARED, checked: Callable[[Spec], None] = lambda filled: None) -> Plan:
    """Return the plan of a new run. What cannot work is said here, before anything runs.

    `checked` is called once the data are there and all but numbers is decided: the rule may search for a while.
    """
    filled = fill_defaults(spec, bench)
    check(filled)
    built = bench.build(filled)
    checked(filled)
    numbered = resolve_auto(filled, bench)
    choice = _choose_gradients(numbered, built.problem)
    if choice:
        numbered = replace(numbered, **choice)
        built = bench.build(numbered)
    return Plan(spec, numbered, built)


def remake_plan(spec: Spec, bench: Workbench = SHARED) -> Plan:
    """Return the plan of a run that began with this spec, in which nothing is left open."""
    check(spec)
    return Plan(spec, spec, bench.build(spec))


def fill_defaults(spec: Spec, bench: Workbench = SHARED) -> Spec:
    """Return the spec with every `None` filled in; only the rate of a theorem's schedule stays open.

    What is `auto` stays so: `resolve_auto` finds numbers.

    >>> spec = fill_defaults(Spec(method="rsa:messages=bits"))
    >>> spec.method.norm, spec.method.penalty, spec.rate, spec.scale
    (1.0, 'auto', 'auto', 1.0)
    """
    method, data = spec.method.resolve(), as_source(spec.data)
    return replace(
        spec,
        method=method,
        data=data.locate(),
        problem=_guess_problem(data, bench) if spec.problem is None else spec.problem,
        rate=AUTO if spec.rate is None and spec.schedule not in steps.REGISTRY else spec.rate,
        scale=_choose_scale(data) if spec.scale is None else spec.scale,
        # on standardised features lambda is small, and the paper's 0.01 would keep RSA's model too short
        l2=(0.0 if data.tabular else 0.01) if spec.l2 is None else spec.l2,
        **({} if spec.model is None else {key: getattr(spec, key) or value for key, value in MODEL_DEFAULTS.items()}),
        declared=spec.q if spec.declared is None else spec.declared,
        momentum=method.default_momentum if spec.momentum is None else spec.momentum,
    )


def _guess_problem(data: Source, bench: Workbench) -> str:
    """Return the problem that fits the target. Our data sets have classes, and need not be loaded."""
    return "softmax" if data.ours else guess(bench.load(data.locate())).name


def _choose_scale(data: Source) -> float | Literal["standard"]:
    return STANDARD if data.tabular else SCALE.get(str(data), 1.0) if data.ours else 1.0


def drop_ignored(spec: Spec) -> Spec:
    """Return the spec without what cannot change its numbers: the engine, and an attack that the method ignores."""
    if spec.method.attacked or spec.method.participants == "honest":
        return spec if spec.engine == InProcess() else replace(spec, engine=InProcess())
    return replace(spec, engine=InProcess(), attack=None, byzantine=0, declared=0)


def _choose_gradients(spec: Spec, problem: Problem) -> Json:
    """Return how the gradients of a network are computed, as fields of a spec; nothing for other problems.

    The last bits depend on the way, so that it is part of what a run computes: recorded, and used again on resume.
    """
    if not isinstance(problem, ModuleProblem):
        return {}
    from holdfast.problems.modules.gradient_choice import choose

    # where workers are sampled, groups would mostly be empty: the loop
    way = spec.gradients or ("loop" if spec.participation < 1 else None)
    chosen = choose(problem, _count_computing(spec), not spec.method.penalised, way, spec.chunk)
    return {"gradients": chosen.way, "chunk": chosen.chunk}


def _count_computing(spec: Spec) -> int:
    """Return how many workers compute in one process."""
    attack, byzantine = attack_and_byzantine(spec)
    idle = byzantine if attack is not None and not attack.uses_own and spec.byzantine_work == "needed" else ()
    computing = len(np.setdiff1d(participants(spec), np.array(idle, dtype=np.int64)))
    return -(-computing // spec.engine.processes)


def list_inferences(asked: Spec, filled: Spec, bench: Workbench = SHARED) -> list[str]:
    """Return a line for each thing that the data decided when defaults were filled in; none for data sets of ours."""
    if is_problem(filled.problem) or as_source(filled.data).ours:
        return []
    dataset = bench.load(filled.data)
    lines = [f"{data_text(asked.data)}: {dataset.notes[0]}", *dataset.notes[1:]] if dataset.notes else []
    if asked.problem is None:
        lines.append(f"problem: {problem_text(filled.problem)}, since {guess(dataset).why} (--problem names another)")
    if asked.scale is None and filled.scale == STANDARD:
        lines.append("features: standardised by what the workers report (--scale 1 leaves them as they are)")
    return lines
