"""Gradients on all samples and SAGA's estimates, against plain loops over single samples."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdfast.problems import LinearProblem
from holdfast.streams import Stream
from holdfast.typing import Rows

every_loss = pytest.mark.parametrize("loss", ["softmax", "logistic", "least-squares"])
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def some_models(problem: LinearProblem, n: int, seed: int = 0) -> Rows:
    models: Rows = 0.3 * np.random.default_rng(seed).normal(size=(n, problem.dimension))
    return models.astype(problem.shards.dtype)


def of_each_sample(problem: LinearProblem, worker: int, model: Rows) -> Rows:
    """The gradients of every sample of a worker at a model, times the weight of its loss, `(N, d)`."""
    features, targets = problem.shards.of(worker)
    residuals = problem.residuals(problem.scores_of_all(model, features), targets).astype(np.float64)
    rows = np.hstack([features.astype(np.float64), np.ones((len(features), 1))])
    each = np.einsum("nc,nw->ncw", residuals, rows)
    flat = [np.concatenate([one[:, :-1].ravel(), one[:, -1]]) for one in each]
    return problem.weight * np.array(flat)


@every_loss
@every_type
def test_all_samples(small_problem: Callable[..., LinearProblem], loss: str, dtype: Any) -> None:
    problem = small_problem(loss, dtype)
    workers, models = np.array([2, 5, 6]), some_models(problem, 3)
    found = problem.oracle(workers).full(models, np.array([True, False, True]))
    expected = [
        of_each_sample(problem, worker, model).mean(axis=0)
        for worker, model in zip((2, 6), models[[0, 2]], strict=True)
    ]
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype is np.float32 else 1e-12, atol=1e-6)
    assert len(problem.oracle(workers).full(models, np.zeros(3, np.bool_))) == 0


@every_loss
@every_type
@pytest.mark.parametrize("batch", [1, 3, 8])
def test_saga_is_that_of_loops(small_problem: Callable[..., LinearProblem], loss: str, dtype: Any, batch: int) -> None:
    """Three draws of two workers with few samples, so that some are drawn twice at a time."""
    problem = small_problem(loss, dtype, batch=batch)
    workers = np.array([2, 5])
    oracle, stream = problem.oracle(workers), Stream(problem.seed, "batch")
    sizes = np.diff(problem.shards.starts)[workers - 1]
    tables: Rows = np.zeros((2, problem.table), dtype)
    averages: Rows = np.zeros((2, problem.dimension), dtype)
    plain = [np.zeros((size, problem.dimension)) for size in sizes]
    for round in range(3):
        models = some_models(problem, 2, round)
        estimates, tables, averages = oracle.saga(models, round, tables, averages)
        drawn = stream.integers(workers, round, sizes, batch)
        for row, worker in enumerate(workers.tolist()):
            fresh, before = of_each_sample(problem, worker, models[row]), plain[row].copy()
            estimate = (fresh - before)[drawn[row]].mean(axis=0) + before.mean(axis=0)
            plain[row][drawn[row]] = fresh[drawn[row]]
            close: Any = {"rtol": 1e-3, "atol": 1e-5} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-12}
            np.testing.assert_allclose(estimates[row], estimate, **close)
            np.testing.assert_allclose(averages[row], plain[row].mean(axis=0), **close)


def test_what_is_given_to_saga_is_left_alone(small_problem: Callable[..., LinearProblem]) -> None:
    problem = small_problem("softmax")
    tables, averages = np.zeros((6, problem.table)), np.zeros((6, problem.dimension))
    problem.oracle(problem.workers).saga(problem.start(), 0, tables, averages)
    assert not tables.any()
    assert not averages.any()


def test_on_average_all_samples_are_looked_at_once_in_a_pass(small_problem: Callable[..., LinearProblem]) -> None:
    """Workers 1 to 3 have 30, 31 and 32 samples; minibatches of 8 in 3000 rounds: 5 deviations are at most 120."""
    problem = replace(small_problem("softmax", workers=3, least=30), batch=8)
    turns = sum(problem.oracle(problem.workers).refreshes(round).astype(int) for round in range(3000))
    sizes = np.diff(problem.shards.starts)
    assert (np.abs(turns - 3000 * 8 / sizes) < 120).all()
    alone = problem.oracle(np.array([2]))
    assert [bool(alone.refreshes(k)[0]) for k in range(50)] == [
        bool(problem.oracle(problem.workers).refreshes(k)[1]) for k in range(50)
    ]
