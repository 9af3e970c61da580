"""lambda and alpha by rule, unless they are given: docs/automatic.md derives both."""

from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from holdfast.aggregators import Median
from holdfast.engines.adversary import Adversary
from holdfast.errors import InvalidInput
from holdfast.methods import AUTO, penalty, with_penalty
from holdfast.methods.schedules import ToZero, schedule
from holdfast.problems import LinearProblem, ModuleProblem, Problem
from holdfast.runs.composition import attack_and_byzantine, check, participants
from holdfast.runs.problem_building import build_problem
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.survey import BATCH, Surveyor
from holdfast.streams import Stream
from holdfast.typing import Messages, Rows, Workers

SURVEYED = 256
"""Workers that report, at most: of more, so many are drawn."""
MOVED = 0.1
"""The share of its own length by which one pull of all workers may move a network's start."""


def is_auto(spec: Spec) -> bool:
    """Return whether the spec leaves a number to the rule."""
    return spec.rate == AUTO or getattr(spec.method, "penalty", None) == AUTO


class Surveys:
    """What workers found out about problems, the same under every attack.

    Who resolves many specs of one problem passes it on: a survey takes 0.1 s of processor time on digits, 1 s for an
    MLP there.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Problem, dict[tuple[Any, bytes], Rows]] = WeakKeyDictionary()

    def measure(self, problem: Problem, workers: Workers, norm: Any) -> Rows:
        """Return what these workers report if all are honest."""
        if not isinstance(problem, LinearProblem | ModuleProblem):  # one from outside need not answer the same twice
            return _survey(problem, problem, workers, norm)
        known, asked = self._known.setdefault(problem, {}), (norm, workers.tobytes())
        if asked not in known:
            known[asked] = _survey(problem, replace(problem, batch=BATCH), workers, norm)
            known[asked].flags.writeable = False
        return known[asked]


def _survey(problem: Problem, larger: Problem, workers: Workers, norm: Any) -> Rows:
    """Return what these workers measure, with the larger minibatches of the same problem."""
    with np.errstate(over="ignore", invalid="ignore"):  # a walk may overflow
        return Surveyor.of(problem, workers, norm).measure(problem.start(), larger.oracle(workers))


def resolve_auto(spec: Spec, surveys: Surveys | None = None) -> Spec:
    """Return a resolved spec with numbers for what it leaves to the rule.

    Every worker reports price, reach and curvature (`holdfast.runs.survey`), a Byzantine one what its attack
    makes of them, and the master believes the medians:

        lambda = price
        alpha  = min(sqrt(K), 1 / s(K)) * longest,     longest = min(1 / curvature, reach / (lambda m))

    K is the number of rounds and s the schedule at rate 1, so that the last step is the longest that is sure to be
    stable. A loss whose gradient is not bounded has to begin with it: alpha = longest. So has the master's regulariser
    c/2 |x|^2: alpha is at most 1 / c. A network's start x is random and of a useful size: one pull of all workers moves
    it by at most a tenth of its length: alpha lambda m |z| <= MOVED |x|, z the longest that a pull may be.
    """
    if not is_auto(spec):
        return spec
    check(with_any_numbers(spec))
    problem = build_problem(spec)[1]
    workers = participants(spec)
    price, reach, curvature = map(
        float, Median()(_reports(spec, problem, _surveyed(workers, spec.seed), surveys or Surveys()))
    )
    if getattr(spec.method, "penalty", None) == AUTO:
        spec = replace(spec, method=with_penalty(spec.method, _number("price", price)))
    if spec.rate == AUTO:
        longest = _longest(spec, len(workers), reach, curvature, problem)
        stretch = _stretch(spec) if isfinite(getattr(problem, "gradient_bound", inf)) else 1
        first = 1 / l2 if (l2 := require_number(spec.l2)) else inf
        spec = replace(spec, rate=_number("rate", min(longest * stretch, first)))
    return spec


def with_any_numbers(spec: Spec) -> Spec:
    """Return the spec with numbers that stand for those to be found, so that all else can be checked before."""
    return replace(spec, method=with_penalty(spec.method, 1.0), rate=1.0 if spec.rate == AUTO else spec.rate)


def _surveyed(workers: Workers, seed: int) -> Workers:
    """Return who is asked: all, or so many that the medians of their reports are near those of all."""
    if len(workers) <= SURVEYED:
        return workers
    draws = Stream(seed, "survey").words(workers, 0, 1)[:, 0]
    return np.sort(workers[np.argsort(draws)[:SURVEYED]])


def _reports(spec: Spec, problem: Problem, workers: Workers, surveys: Surveys) -> Rows:
    """Return what these workers report: honest ones the truth, Byzantine ones what their attack makes of it."""
    attack, byzantine = attack_and_byzantine(spec)
    adversary = Adversary(attack, participants(spec), byzantine, spec.seed, computing_always=True)
    truths = surveys.measure(problem, workers, getattr(spec.method, "norm", 1.0))
    return adversary.corrupt(Messages(truths, workers, 0), np.zeros(3))  # a report is three numbers


def _longest(spec: Spec, m: int, reach: float, curvature: float, problem: Problem) -> float:
    """Return the longest step that is sure to be stable: for a worker and the master of RSA, or for a sum of losses."""
    l2 = require_number(spec.l2)
    if not spec.method.penalised:
        return 1 / (m * curvature + l2)
    pull = m * float(cast(Any, spec.method).penalty)
    if not pull:
        return 1 / max(curvature, l2)
    stable = min(1 / max(curvature, l2), reach / pull)
    if not isinstance(problem, ModuleProblem):
        return stable
    start, p = problem.start(), penalty(getattr(spec.method, "norm", 1.0), 1.0).p
    pulled = pull * max(len(start) ** (1 / p - 0.5), 1.0)  # the longest z of d|x|_p, for l1 the root of d
    return min(stable, MOVED * float(np.linalg.norm(start)) / pulled or inf)


def _stretch(spec: Spec) -> float:
    """Return how much longer than its last step a schedule may begin: as it falls, but at most sqrt(K) times.

    One that ends near 0 is as long as it begins for much of the run.
    """
    course = schedule(spec.schedule, 1.0, spec.rounds)
    return 1.0 if isinstance(course, ToZero) else min(sqrt(spec.rounds), 1 / course(spec.rounds - 1))


def _number(what: str, value: float) -> float:
    """Return three significant digits, if the value can be used: more would only differ between machines."""
    if not 0 < value < inf:
        raise InvalidInput(
            f"auto needs something to learn and fewer than half of the workers Byzantine; got a {what} of {value:g}: "
            "else give numbers, such as --method rsa:penalty=0.1 --rate 0.001"
        )
    return float(f"{value:.3g}")
