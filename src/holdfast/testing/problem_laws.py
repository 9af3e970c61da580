"""The laws of problems: start, gradients, objective, evaluation."""

from collections.abc import Callable
from math import isfinite, sqrt
from time import perf_counter
from typing import Any

import numpy as np
from hypothesis import strategies as st

from holdfast.data import Dataset, Iid
from holdfast.errors import InvalidInput
from holdfast.problems import Divisible, Problem, is_problem
from holdfast.testing.inputs import ROUNDS, SEEDS
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, NotTried, format_value, require, require_close, require_same
from holdfast.testing.outcomes import Report
from holdfast.typing import Rows, Vector, Workers

LAWS = Laws("problem")
DRAWS = 400
"""Minibatches whose gradients are averaged, unless they take more than a second."""


def check_problem(
    problem: Problem | Callable[..., Problem],
    *,
    data: Dataset | None = None,
    raise_on_failure: bool = True,
    examples: int = EXAMPLES // 2,
    seconds: float = SECONDS,
) -> Report:
    """Test a problem, or what a class or factory makes of a few samples of two classes, against the laws of problems.

    >>> from holdfast.problems import Softmax
    >>> check_problem(Softmax, examples=10).holds
    True
    """
    if is_problem(problem):
        return LAWS.check(problem, raise_on_failure, examples, seconds, type(problem).__name__)
    built, name = _build(problem, data or few_samples()), getattr(problem, "__qualname__", str(problem))
    return LAWS.check(built, raise_on_failure, examples, seconds, name)


def few_samples() -> Dataset:
    """Return 40 samples of 5 features and two classes that overlap, and 10 to test on."""
    generator = np.random.default_rng(0)
    targets = np.arange(50) % 2
    features = generator.normal(size=(50, 5)) + targets[:, np.newaxis]
    return Dataset("few samples", features[:40], targets[:40], features[40:], targets[40:])


def _build(factory: Any, data: Dataset) -> Problem:
    made = getattr(factory, "of", factory)(data, Iid(), 4, 6, scale=1.0, weight=0.25, dtype="float64", seed=3)
    if not is_problem(made):
        raise InvalidInput(f"a problem must have what holdfast.problems.Problem asks for; got {type(made).__name__}")
    return made


def _some_workers(problem: Problem) -> st.SearchStrategy[Workers]:
    """A few of the workers, in any order."""
    few = [int(worker) for worker in problem.workers[:5]]
    return st.lists(st.sampled_from(few), min_size=1, max_size=4, unique=True).map(np.array)


def _models(problem: Problem, n: int, seed: int) -> Rows:
    """Return models around the start, read-only."""
    start = problem.start()
    models = start + 0.1 * np.random.default_rng(seed).normal(size=(n, len(start))).astype(start.dtype)
    models.flags.writeable = False
    return models


@LAWS.law()
def starts_at_a_model(problem: Problem) -> None:
    """Everyone starts from one finite vector of length `dimension`, the same every time it is asked for."""
    start = problem.start()
    require(start.shape == (problem.dimension,), f"the start has shape {start.shape}, not {(problem.dimension,)}")
    require(start.dtype in (np.float32, np.float64), f"the start is {start.dtype}, not float32 or float64")
    require(bool(np.isfinite(start).all()), "the start is not finite")
    require_same(problem.start(), start, "the second start")


@LAWS.law()
def numbers_its_workers(problem: Problem) -> None:
    """Workers have whole numbers from 1 on, in order, none twice."""
    workers = np.asarray(problem.workers)
    ordered = len(workers) > 0 and workers[0] >= 1 and bool((np.diff(workers) > 0).all())
    require(workers.dtype.kind in "iu" and ordered, f"the workers are {format_value(workers)}")


@LAWS.law(workers=_some_workers, round=ROUNDS, seed=SEEDS)
def gives_one_gradient_each(problem: Problem, workers: Workers, round: int, seed: int) -> None:
    """At stacked models, or at one that all share, each worker gets a finite gradient of the models' type."""
    models, shape = _models(problem, len(workers), seed), (len(workers), problem.dimension)
    for given in (models, models[0]):
        gradients = problem.oracle(workers)(given, round)
        require(gradients.shape == shape, f"the gradients have shape {gradients.shape}, not {shape}")
        require(gradients.dtype == models.dtype, f"the gradients are {gradients.dtype}, not {models.dtype}")
        require(bool(np.isfinite(gradients).all()), "the gradients are not finite")


@LAWS.law(workers=_some_workers, round=ROUNDS, seed=SEEDS)
def goes_by_rows(problem: Problem, workers: Workers, round: int, seed: int) -> None:
    """A worker alone gets the gradient that it gets among others, bit for bit (row law)."""
    models = _models(problem, len(workers), seed)
    together, shared = (np.array(problem.oracle(workers)(given, round)) for given in (models, models[0]))
    for row, worker in enumerate(workers):
        oracle = problem.oracle(workers[[row]])
        require_same(oracle(models[[row]], round)[0], together[row], f"alone, the gradient of worker {worker}")
        require_same(oracle(models[0], round)[0], shared[row], f"alone, at the shared model, that of worker {worker}")


@LAWS.law(workers=_some_workers, round=ROUNDS, seed=SEEDS)
def serves_some_alone(problem: Problem, workers: Workers, round: int, seed: int) -> None:
    """An oracle that offers `only` gives some of its workers what it gives them among all."""
    oracle = problem.oracle(workers)
    if not isinstance(oracle, Divisible):
        raise NotTried("its oracle offers no `only`: absent and idle workers compute gradients in vain")
    models = _models(problem, len(workers), seed)
    expected = np.array(oracle(models, round)[::2])
    require_same(oracle.only(workers[::2])(models[::2], round), expected, "of every other worker, the gradients")


@LAWS.law(workers=_some_workers, round=ROUNDS, seed=SEEDS)
def is_addressed(problem: Problem, workers: Workers, round: int, seed: int) -> None:
    """A minibatch belongs to worker and round: asked again, after other rounds, the gradient is the same."""
    models, oracle = _models(problem, len(workers), seed), problem.oracle(workers)
    first = np.array(oracle(models, round))
    oracle(models, round + 1)
    require_same(oracle(models, round), first, "the second answer")
    require_same(problem.oracle(workers)(models, round), first, "a new oracle's answer")


@LAWS.law()
def descends_its_objective(problem: Problem) -> None:
    """A worker's gradients are, on average over rounds, the derivative of its objective."""
    for worker in problem.workers[:3]:
        model, direction = _models(problem, 2, int(worker))
        direction = (direction / np.linalg.norm(direction)).astype(model.dtype)
        expected = _derivative(problem, model, direction, int(worker))
        found = _along(problem, model, direction, worker)
        error = float(found.std(ddof=1)) / sqrt(len(found))
        rounding = 1e-3 if model.dtype == np.float64 else 2e-2  # of the difference quotient
        tolerance = 6 * error + rounding * (abs(expected) + float(np.abs(found).mean()) + 1e-9)
        what = f"the mean of worker {worker}'s gradients along a direction, over {len(found)} rounds,"
        require_close(float(found.mean()), expected, tolerance, what)


def _derivative(problem: Problem, model: Vector, direction: Vector, worker: int) -> float:
    """Return the derivative of a worker's objective along a direction, by a central difference."""
    step = 1e-4 if model.dtype == np.float64 else 1e-2
    ahead, behind = (
        problem.objective((model + way * direction).astype(model.dtype), [worker]) for way in (step, -step)
    )
    return (ahead - behind) / (2 * step)


def _along(problem: Problem, model: Vector, direction: Vector, worker: int) -> Vector:
    """Return the parts of a worker's gradients along a direction, round by round."""
    oracle, begun, found = problem.oracle(np.array([worker])), perf_counter(), []
    for round in range(DRAWS):
        found.append(float(oracle(model, round)[0].astype(np.float64) @ direction))
        if round >= 30 and perf_counter() - begun > 1:
            break
    return np.array(found)


@LAWS.law(workers=_some_workers, seed=SEEDS)
def adds_up_its_objective(problem: Problem, workers: Workers, seed: int) -> None:
    """The objective of some workers is finite, and the sum of each one's."""
    model = _models(problem, 1, seed)[0]
    total, parts = problem.objective(model, workers), [problem.objective(model, [worker]) for worker in workers]
    require(isfinite(total), f"the objective is {total}")
    require_close(total, sum(parts), 1e-4 * sum(map(abs, parts)), "the objective")


@LAWS.law(seed=SEEDS)
def measures_finite_numbers(problem: Problem, seed: int) -> None:
    """What is measured on test samples are finite numbers by name, the same every time."""
    model = _models(problem, 1, seed)[0]
    measured = dict(problem.evaluate(model))
    right = all(isinstance(name, str) and isfinite(value) for name, value in measured.items())
    require(right, f"measured is {measured}")
    require(dict(problem.evaluate(model)) == measured, "the second time, other numbers are measured")
