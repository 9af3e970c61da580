"""lambda and alpha by rule, unless they are given: docs/automatic.md derives both."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np

from holdfast.aggregators import Median
from holdfast.engines.adversary import Adversary
from holdfast.errors import InvalidInput
from holdfast.methods import AUTO, Method, penalty
from holdfast.methods.schedules import ToZero, schedule
from holdfast.problems import ModuleProblem, Problem, bounds_gradients
from holdfast.runs.composition import attack_and_byzantine, participants
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.survey import Surveys
from holdfast.runs.workbench import SHARED, Workbench
from holdfast.streams import Stream
from holdfast.typing import Messages, Rows, Workers

SURVEYED = 256
"""Workers that report, at most: of more, so many are drawn."""
MOVED = 0.1
"""The share of its own length by which one pull of all workers may move a network's start."""


def is_auto(spec: Spec) -> bool:
    """Return whether the spec leaves a number to the rule."""
    return AUTO in (spec.rate, spec.method.penalty)


def resolve_auto(spec: Spec, bench: Workbench = SHARED) -> Spec:
    """Return a spec whose defaults are filled in with numbers for what it leaves to the rule.

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
    problem = bench.build(spec).problem
    workers = participants(spec)
    reports = _report(spec, problem, _choose_workers(workers, spec.seed), bench.surveys)
    price, reach, curvature = map(float, Median()(reports))
    method, rate = spec.method, spec.rate
    if method.penalty == AUTO:
        method = method.with_penalty(_require_usable("price", price))
    if rate == AUTO:
        longest = _find_longest_step(spec, method, len(workers), reach, curvature, problem)
        stretch = _stretch(spec) if bounds_gradients(problem) else 1
        first = 1 / l2 if (l2 := require_number(spec.l2)) else inf
        rate = _require_usable("rate", min(longest * stretch, first))
    return replace(spec, method=method, rate=rate)


def _choose_workers(workers: Workers, seed: int) -> Workers:
    """Return the workers that report: all, or so many that the medians of their reports are near those of all."""
    if len(workers) <= SURVEYED:
        return workers
    draws = Stream(seed, "survey").words(workers, 0, 1)[:, 0]
    return np.sort(workers[np.argsort(draws)[:SURVEYED]])


def _report(spec: Spec, problem: Problem, workers: Workers, surveys: Surveys) -> Rows:
    """Return what these workers report: honest ones the truth, Byzantine ones what their attack makes of it."""
    attack, byzantine = attack_and_byzantine(spec)
    adversary = Adversary(attack, participants(spec), byzantine, spec.seed, computing_always=True)
    truths = surveys.measure(problem, workers, spec.method.norm)
    return adversary.corrupt(Messages(truths, workers, 0), np.zeros(3))  # a report is three numbers


def _find_longest_step(spec: Spec, method: Method, m: int, reach: float, curvature: float, problem: Problem) -> float:
    """Return the longest step that is sure to be stable: for a worker and the master of RSA, or for a sum of losses."""
    l2 = require_number(spec.l2)
    if not method.penalised:
        return 1 / (m * curvature + l2)
    pull = m * require_number(method.penalty)
    if not pull:
        return 1 / max(curvature, l2)
    stable = min(1 / max(curvature, l2), reach / pull)
    if not isinstance(problem, ModuleProblem):
        return stable
    start, p = problem.start(), penalty(method.norm, 1.0).p
    pulled = pull * max(len(start) ** (1 / p - 0.5), 1.0)  # the longest z of d|x|_p, for l1 the root of d
    return min(stable, MOVED * float(np.linalg.norm(start)) / pulled or inf)


def _stretch(spec: Spec) -> float:
    """Return how much longer than its last step a schedule may begin: as it falls, but at most sqrt(K) times.

    One that ends near 0 is as long as it begins for much of the run.
    """
    course = schedule(spec.schedule, 1.0, spec.rounds)
    return 1.0 if isinstance(course, ToZero) else min(sqrt(spec.rounds), 1 / course(spec.rounds - 1))


def _require_usable(what: str, value: float) -> float:
    """Return three significant digits, if the value can be used: more would only differ between machines."""
    if not 0 < value < inf:
        raise InvalidInput(
            f"auto needs something to learn and fewer than half of the workers Byzantine; got a {what} of {value:g}: "
            "else give numbers, such as --method rsa:penalty=0.1 --rate 0.001"
        )
    return float(f"{value:.3g}")
