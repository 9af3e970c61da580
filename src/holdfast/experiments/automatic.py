"""lambda and alpha by rule instead of by hand: `penalty=auto`, `--rate auto`. docs/automatic.md derives both."""

from dataclasses import replace
from math import inf, isfinite, sqrt
from typing import Any, cast

from holdfast.aggregators import Median
from holdfast.errors import InvalidInput
from holdfast.experiments.building import build_problem
from holdfast.experiments.parts import participants, simulated
from holdfast.experiments.spec import Spec
from holdfast.experiments.survey import BATCH, Surveyor
from holdfast.methods import AUTO, Rsa, as_sent
from holdfast.methods.schedules import ToZero, schedule
from holdfast.problems import solvable
from holdfast.typing import Rows


def is_auto(spec: Spec) -> bool:
    """Return whether the spec leaves a number to the rule."""
    return spec.rate == AUTO or getattr(spec.method, "penalty", None) == AUTO


def resolve_auto(spec: Spec) -> Spec:
    """Return a resolved spec with numbers for what it leaves to the rule.

    Every worker reports price, reach and curvature (`holdfast.experiments.survey`), a Byzantine one what its attack
    makes of them, and the master believes the medians:

        lambda = price
        alpha  = min(sqrt(K), 1 / s(K)) * longest,     longest = min(1 / curvature, reach / (lambda m))

    K is the number of rounds and s the schedule at rate 1, so that the last step is the longest that is sure to be
    stable. A loss whose gradient is not bounded has to begin with it: alpha = longest.
    """
    if not is_auto(spec):
        return spec
    problem = solvable(build_problem(spec)[1], "auto")
    workers = participants(spec)
    norm = spec.method.norm if isinstance(spec.method, Rsa) else 1.0
    everybody = replace(spec, byzantine_work="always")  # a surveyor is made for all of them
    surveyor = Surveyor.of(problem, workers, norm)
    engine = simulated(everybody, replace(problem, batch=BATCH), surveyor, 1.0, as_sent)
    reports = cast(Rows, engine.exchange(problem.start(), 0).rows)
    price, reach, curvature = map(float, Median()(reports))
    if isinstance(spec.method, Rsa) and spec.method.penalty == AUTO:
        spec = replace(spec, method=replace(spec.method, penalty=_number("price", price)))
    if spec.rate == AUTO:
        longest = _longest(spec, len(workers), reach, curvature)
        stretch = _stretch(spec) if isfinite(problem.gradient_bound) else 1
        spec = replace(spec, rate=_number("rate", longest * stretch))
    return spec


def _longest(spec: Spec, m: int, reach: float, curvature: float) -> float:
    """Return the longest step that is sure to be stable: for a worker and the master of RSA, or for a sum of losses."""
    if not isinstance(spec.method, Rsa):
        return 1 / (m * curvature + spec.l2)
    pull = m * float(cast(Any, spec.method.penalty))
    return min(1 / max(curvature, spec.l2), reach / pull if pull else inf)


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
            f"auto needs something to learn and fewer than half of the workers Byzantine; got a {what} of {value:g}"
        )
    return float(f"{value:.3g}")
