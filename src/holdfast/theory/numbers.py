"""The theorems in numbers: RSA under attack against its own bounds, on a small problem fixed in code.

l2-regularised least squares of 3 coefficients; 8 honest workers, each with data and a true model of its own. The
Byzantine workers know the optimum and push the master away from it in every coordinate as hard as the penalty allows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import ColludingAttack, FullView
from holdfast.engines import Simulated
from holdfast.engines.engine import train
from holdfast.methods import PenalisedWorker, PenaltySum, Program
from holdfast.methods.penalties import L1
from holdfast.methods.priors import Ridge
from holdfast.problems import LeastSquares, Shards
from holdfast.theory.convergence import Averaging, RunningAverage, penalised_cost
from holdfast.theory.guarantees import Guarantees
from holdfast.typing import Rows, Schedule

T = TypeVar("T")

HONEST, MOST_BYZANTINE, SAMPLES, BATCH = 8, 6, 100, 32
PRIOR = Ridge(1.0)
MARGIN = 1.1
"""lambda over lambda_0."""
STRETCH = 10.0
"""overlined over underlined alpha of the supplement's theorem: its steps stay constant for 100 rounds."""


@dataclass(frozen=True)
class Curve:
    """An error over the rounds, over several seeds, and what a theorem says of its mean."""

    rounds: list[int]
    mean: list[float]
    least: list[float]
    largest: list[float]
    bound: list[float]
    farthest: float
    """The largest distance of an honest worker's model from the optimum, over `radius`: the bound needs at most 1."""


@dataclass(frozen=True)
class Gaps:
    """The error that remains, by number of Byzantine workers."""

    byzantine: list[int]
    measured: list[float]
    bound: list[float]
    """overlined alpha times Delta_2, quadratic in q."""
    exponent: float
    """The gap grows as q to this power, by least squares of the logarithms: 2 if it is quadratic."""


@cache
def problem() -> LeastSquares:
    """Return the problem: honest workers first, then the most Byzantine ones that are ever needed."""
    generator = np.random.default_rng(2019)
    workers = HONEST + MOST_BYZANTINE
    owner = np.repeat(np.arange(workers), SAMPLES)
    truths = np.array([8.0, -8.0, 8.0]) + generator.normal(scale=0.5, size=(workers, 3))
    features = generator.normal(size=(len(owner), 2)) * generator.uniform(0.8, 1.2, size=(workers, 2))[owner]
    noise = generator.normal(size=len(owner))
    targets = np.einsum("ij,ij->i", np.hstack([features, np.ones((len(owner), 1))]), truths[owner]) + noise
    shards = Shards.deal(features, targets, np.split(np.arange(len(owner)), workers), dtype=np.float64)
    return LeastSquares(shards, outputs=1, batch=BATCH, weight=1.0)


def guarantees(byzantine: int) -> Guarantees:
    """Return what the theorems promise with so many Byzantine workers and lambda = MARGIN lambda_0 of the l1 norm."""
    honest = range(1, HONEST + 1)
    asked = Guarantees.of(problem(), PRIOR, L1(1.0), honest, byzantine)
    slower = asked.averaging.steps.low * STRETCH if asked.averaging else None
    return Guarantees.of(problem(), PRIOR, L1(MARGIN * asked.lambda0), honest, byzantine, sqrt_high=slower)


@dataclass(frozen=True)
class PushAway(ColludingAttack):
    """Send models far beyond the master, as seen from the optimum: every vote is to move further away."""

    optimum: tuple[float, ...]

    def __call__(self, view: FullView, /) -> Rows:
        side = np.where(view.neutral < np.array(self.optimum), -1.0, 1.0)
        return np.broadcast_to(view.neutral + 1e6 * side, view.own.shape)


def trajectory(found: Guarantees, rate: Schedule, rounds: int, seed: int) -> Iterator[Rows]:
    """Yield x^0 to x^rounds of RSA under attack: the master's model and below it those of the honest workers."""
    drawn = replace(problem(), seed=seed)
    workers = np.arange(1, HONEST + found.byzantine + 1)
    program = Program(PenalisedWorker(found.penalty, rate), PenaltySum(found.penalty), rate, PRIOR)
    byzantine = workers[HONEST:]
    engine = Simulated(
        program,
        drawn.oracle(workers),
        drawn.start(),
        workers,
        byzantine=byzantine,
        attack=PushAway(tuple(found.optimum.tolist())) if len(byzantine) else None,
    )
    start = program.init(drawn.start())
    yield np.vstack([start.model, engine.iterates(start.model)])
    for state in train(program, engine, start, range(rounds)):
        yield np.vstack([state.model, engine.iterates(state.model)])


def convergence(byzantine: int = 2, rounds: int = 2000, seeds: Sequence[int] = range(10)) -> Curve:
    """Return |x^k - x*|^2 of all models stacked, against both regimes of Theorem 2 with its step size."""
    found = guarantees(byzantine)
    theorem = _require(found.convergence)
    runs = [np.stack(list(trajectory(found, theorem.steps, rounds, seed))) - found.optimum for seed in seeds]
    errors = np.array([np.sum(run**2, axis=(1, 2)) for run in runs])
    farthest = max(float(np.linalg.norm(run[:, 1:], axis=2).max()) for run in runs) / found.radius
    return _curve(range(rounds + 1), errors, theorem.theorem2(range(rounds + 1)), farthest)


def averages(byzantine: int = 2, rounds: int = 2000, seeds: Sequence[int] = range(10), points: int = 40) -> Curve:
    """Return h_p(running average of x^0 ... x^k) - h_p(x*), against the supplement's theorem with its step size."""
    found = guarantees(byzantine)
    theorem: Averaging = _require(found.averaging)
    at = np.unique(np.geomspace(1, rounds, points).astype(np.int64)) - 1
    ids, runs, farthest = np.arange(1, HONEST + 1), [], 0.0

    def cost(rows: Rows) -> float:
        return penalised_cost(problem(), PRIOR, found.penalty, rows[0], rows[1:], ids)

    least = cost(np.tile(found.optimum, (HONEST + 1, 1)))
    for seed in seeds:
        average, costs = RunningAverage.start(np.zeros((HONEST + 1, problem().dimension))), []
        for k, rows in enumerate(trajectory(found, theorem.steps, rounds - 1, seed)):
            average = average.add(rows, theorem.steps(k))
            farthest = max(farthest, float(np.linalg.norm(rows[1:] - found.optimum, axis=1).max()))
            if k in at:
                costs.append(cost(average.model) - least)
        runs.append(costs)
    return _curve(at.tolist(), np.array(runs), theorem.bound(rounds)[at], farthest / found.radius)


def gaps(most: int = MOST_BYZANTINE, rounds: int = 2000, seeds: Sequence[int] = range(3)) -> Gaps:
    """Return the mean of |x^k - x*|^2 over the last tenth of the rounds, for 1 to `most` Byzantine workers."""
    counts = list(range(1, most + 1))
    measured, bounds = [], []
    for byzantine in counts:
        curve = convergence(byzantine, rounds, seeds)
        measured.append(float(np.mean(curve.mean[-rounds // 10 :])))
        bounds.append(_require(guarantees(byzantine).convergence).gap)
    exponent = np.polyfit([log(q) for q in counts], np.log(measured), 1)[0]
    return Gaps(counts, measured, bounds, float(exponent))


def _curve(rounds: Sequence[int], errors: NDArray[np.float64], bound: NDArray[np.float64], farthest: float) -> Curve:
    mean, least, largest = (of(errors, axis=0).tolist() for of in (np.mean, np.min, np.max))
    return Curve(list(rounds), mean, least, largest, bound.tolist(), farthest)


def _require(theorem: T | None) -> T:
    """The problem is made so that every theorem applies."""
    assert theorem is not None
    return theorem
