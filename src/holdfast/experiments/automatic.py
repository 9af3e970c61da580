"""lambda and alpha by rule instead of by hand: `--penalty auto`, `--rate auto`. docs/automatic.md derives both."""

from dataclasses import replace
from math import inf, isfinite, sqrt

from holdfast.aggregators import Median
from holdfast.errors import InvalidInput
from holdfast.experiments.assembly import fleet_of, learnt, participants
from holdfast.experiments.spec import AUTO, Spec
from holdfast.experiments.survey import BATCH, Surveyor
from holdfast.methods.schedules import schedule


def settled(spec: Spec) -> Spec:
    """Return a resolved spec with numbers for what it leaves to the rule.

    Every worker reports price, reach and curvature (`holdfast.experiments.survey`), a liar what its attack makes of them, and
    the master believes the medians:

        lambda = price
        alpha  = min(sqrt(K), 1 / s(K)) * longest,     longest = min(1 / curvature, reach / (lambda m))

    K is the number of rounds and s the schedule at rate 1, so that the last step is the longest that is sure to be
    stable. A loss whose slope is not bounded has to begin with it: alpha = longest.
    """
    if AUTO not in (spec.penalty, spec.rate):
        return spec
    _, problem = learnt(spec)
    workers = participants(spec)
    everybody = replace(spec, liars_work="always")  # a surveyor is made for all of them
    fleet = fleet_of(everybody, replace(problem, batch=BATCH), Surveyor.of(problem, workers, spec.norm), workers)
    price, reach, curvature = map(float, Median()(fleet.exchange(problem.start(), 0)))
    if spec.penalty == AUTO:
        spec = replace(spec, penalty=_number("price", price))
    if spec.rate == AUTO:
        longest = _longest(spec, len(workers), reach, curvature)
        spec = replace(spec, rate=_number("rate", longest * (_stretch(spec) if isfinite(problem.slope) else 1)))
    return spec


def _longest(spec: Spec, m: int, reach: float, curvature: float) -> float:
    """Return the longest step that is sure to be stable: for a worker and the master of RSA, or for a sum of losses."""
    if not spec.recipe.penalised:
        return 1 / (m * curvature + spec.l2)
    pull = m * float(spec.penalty or 0)
    return min(1 / max(curvature, spec.l2), reach / pull if pull else inf)


def _stretch(spec: Spec) -> float:
    """Return how much longer than its last step a schedule may begin: as it falls, but at most sqrt(K) times."""
    return min(sqrt(spec.rounds), 1 / schedule(spec.schedule, 1.0)(spec.rounds - 1))


def _number(what: str, value: float) -> float:
    """Return three significant digits, if the value can be used: more would only differ between machines."""
    if not 0 < value < inf:
        raise InvalidInput(
            f"auto needs something to learn and fewer than half of the workers lying; got a {what} of {value:g}"
        )
    return float(f"{value:.3g}")
