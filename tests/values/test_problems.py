"""Problems against plain loops, finite differences and an independent solver."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import exp, log
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.methods.priors import Ridge
from holdfast.problems import REGISTRY, LeastSquares, LinearProblem, Logistic, Shards, Softmax, linear_problem
from holdfast.streams import Stream
from holdfast.typing import Vector

ProblemMaker = Callable[..., LinearProblem]
every_problem = pytest.mark.parametrize("kind", REGISTRY)


def a_model(problem: LinearProblem) -> Vector:
    return np.random.default_rng(8).normal(size=problem.dimension)


def sample_loss(kind: str, model: Vector, features: Vector, target: float, outputs: int) -> float:
    """The loss of one sample, as the textbook has it."""
    weights, biases = model[:-outputs].reshape(outputs, -1), model[-outputs:]
    scores = [
        float(sum(w * f for w, f in zip(row, features, strict=True)) + b)
        for row, b in zip(weights, biases, strict=True)
    ]
    if kind == "softmax":
        return -log(exp(scores[int(target)]) / sum(exp(score) for score in scores))
    if kind == "logistic":
        likely = 1 / (1 + exp(-scores[0]))
        return -log(likely if target == 1 else 1 - likely)
    return (scores[0] - target) ** 2 / 2


def samples_of(problem: LinearProblem, worker: int) -> list[tuple[Vector, float]]:
    """The samples of a worker, scaled, one by one."""
    held = slice(*problem.shards.starts[worker - 1 : worker + 1])
    features = problem.shards.features[held].astype(np.float64) * problem.shards.scale
    return list(zip(features, problem.shards.targets[held], strict=True))


def mean_loss(kind: str, problem: LinearProblem, samples: list[tuple[Vector, float]], model: Vector) -> float:
    losses = [sample_loss(kind, model, features, target, problem.outputs) for features, target in samples]
    return problem.weight * sum(losses) / len(losses)


def differences(cost: Callable[[Vector], float], model: Vector) -> Vector:
    """Central differences."""
    steps = 1e-5 * np.eye(len(model))
    return np.array([(cost(model + step) - cost(model - step)) / 2e-5 for step in steps])


@every_problem
def test_local_losses_are_those_of_plain_loops(small_problem: ProblemMaker, kind: str) -> None:
    problem = small_problem(kind)
    model, workers = a_model(problem), [1, 3, 6]
    expected = [mean_loss(kind, problem, samples_of(problem, worker), model) for worker in workers]
    np.testing.assert_allclose(problem.local_losses(model, workers), expected, rtol=1e-12)
    assert problem.objective(model, workers) == pytest.approx(sum(expected), rel=1e-12)
    assert Ridge(0.4).value(model) == pytest.approx(0.2 * float((model**2).sum()), rel=1e-12)


@every_problem
def test_local_gradients_are_the_differences_of_plain_losses(small_problem: ProblemMaker, kind: str) -> None:
    problem = small_problem(kind)
    model, workers = a_model(problem), [1, 3, 6]
    plain = [partial(mean_loss, kind, problem, samples_of(problem, worker)) for worker in workers]
    expected = [differences(cost, model) for cost in plain]
    np.testing.assert_allclose(problem.local_gradients(model, workers), expected, rtol=1e-6, atol=1e-8)


@every_problem
def test_minibatch_gradients_are_those_of_the_samples_drawn(small_problem: ProblemMaker, kind: str) -> None:
    """Worker 1 has 3 samples and draws 8: with replacement, from its own."""
    problem = small_problem(kind)
    model, workers, round = a_model(problem), np.array([4, 1]), 9
    sizes = np.diff(problem.shards.starts)[workers - 1]
    assert sizes.min() < problem.batch
    drawn = Stream(problem.seed, "batch").integers(workers, round, sizes, problem.batch)
    gradients = problem.oracle(workers)(model, round)
    for worker, indices, gradient in zip(workers, drawn, gradients, strict=True):
        batch = [samples_of(problem, worker)[index] for index in indices]
        expected = differences(partial(mean_loss, kind, problem, batch), model)
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


@every_problem
def test_minibatch_gradients_are_unbiased(small_problem: ProblemMaker, kind: str) -> None:
    problem = small_problem(kind)
    workers = problem.shards.workers
    models = np.random.default_rng(0).normal(size=(len(workers), problem.dimension))
    oracle = problem.oracle(workers)
    draws = np.stack([oracle(models, round) for round in range(3000)])
    full = np.stack([problem.local_gradients(models[worker - 1], [worker])[0] for worker in workers])
    error = draws.std(axis=0) / len(draws) ** 0.5
    assert (np.abs(draws.mean(axis=0) - full) <= 5 * error + 1e-12).all()
    assert (error > 0).mean() > 0.9


@every_problem
def test_a_minibatch_of_a_single_sample_is_everything(small_problem: ProblemMaker, kind: str) -> None:
    problem = small_problem(kind, least=1, workers=1)
    model = a_model(problem)
    np.testing.assert_allclose(problem.oracle(np.array([1]))(model, 0), problem.local_gradients(model, [1]), rtol=1e-12)


@every_problem
def test_the_weight_multiplies_everything(small_problem: ProblemMaker, kind: str) -> None:
    one, third = small_problem(kind, weight=1.0), small_problem(kind, weight=1 / 3)
    model, workers = a_model(one), one.shards.workers
    np.testing.assert_allclose(third.local_losses(model, workers), one.local_losses(model, workers) / 3)
    np.testing.assert_allclose(third.local_gradients(model, workers), one.local_gradients(model, workers) / 3)
    np.testing.assert_allclose(third.oracle(workers)(model, 2), one.oracle(workers)(model, 2) / 3)


@every_problem
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bytes_are_scaled_when_they_are_used(kind: str, dtype: type) -> None:
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (30, 4), dtype=np.uint8)
    targets, parts = generator.integers(0, 2, 30), np.array_split(np.arange(30), 3)
    of_bytes = Shards.deal(pixels, targets, parts, scale=1 / 255, dtype=dtype)
    of_numbers = Shards.deal(pixels / 255, targets, parts, dtype=np.float64)
    outputs = 2 if kind == "softmax" else 1
    scaled, plain = (REGISTRY[kind](dealt, outputs, 5, 1.0) for dealt in (of_bytes, of_numbers))
    assert of_bytes.features.dtype == np.uint8
    model, workers = a_model(plain), plain.shards.workers
    assert scaled.oracle(workers)(model.astype(dtype), 1).dtype == dtype
    rtol = 1e-4 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(scaled.oracle(workers)(model, 1), plain.oracle(workers)(model, 1), rtol=rtol, atol=1e-6)
    np.testing.assert_allclose(scaled.local_losses(model, workers), plain.local_losses(model, workers), rtol=rtol)
    np.testing.assert_allclose(scaled.optimum(Ridge(0.1), workers), plain.optimum(Ridge(0.1), workers), atol=1e-7)


@every_problem
def test_everything_is_the_same_in_small_blocks(
    small_problem: ProblemMaker, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    problem = small_problem(kind, least=9)
    model, workers = a_model(problem), problem.shards.workers

    def computed() -> tuple[NDArray[Any], ...]:
        return (
            problem.local_losses(model, workers),
            problem.local_gradients(model, workers),
            problem.scores_of_all(model, problem.shards.features),
        )

    whole = computed()
    monkeypatch.setattr(linear_problem, "BLOCK", 4)
    for blocked, expected in zip(computed(), whole, strict=True):
        np.testing.assert_allclose(blocked, expected, rtol=1e-12)


def full_gradient(problem: LinearProblem, prior: Ridge, model: Vector, workers: list[int]) -> Vector:
    gradient: Vector = problem.local_gradients(model, workers).sum(axis=0) + prior.gradient(model)
    return gradient


@every_problem
@pytest.mark.parametrize("workers", [[1, 2, 3, 4, 5, 6], [2, 5]], ids=["everyone", "two workers"])
def test_at_the_optimum_the_gradient_vanishes(small_problem: ProblemMaker, kind: str, workers: list[int]) -> None:
    problem, prior = small_problem(kind), Ridge(0.01)
    optimum = problem.optimum(prior, workers)
    assert np.abs(full_gradient(problem, prior, optimum, workers)).max() <= 1e-9
    single = small_problem(kind, np.float32)
    np.testing.assert_allclose(single.optimum(prior, iter(workers)), optimum, atol=1e-4)
    assert np.abs(full_gradient(problem, prior, np.zeros(problem.dimension), workers)).max() > 1e-2


@pytest.mark.parametrize("kind", ["softmax", "logistic"])
def test_raw_pixels_cost_the_optimum_little(kind: str) -> None:
    """The gradient starts near 10; rounding of the cost keeps it from 1e-9, but not from 1e-6."""
    pixels = np.random.default_rng(0).integers(0, 256, (200, 6), dtype=np.uint8)
    parts, workers = np.array_split(np.arange(200), 5), [1, 2, 3, 4, 5]
    dealt = Shards.deal(pixels, (pixels[:, 0] > 100).astype(np.int64), parts, dtype=np.float64)
    problem, prior = REGISTRY[kind](dealt, 2 if kind == "softmax" else 1, 4, 0.2), Ridge(1e-4)
    assert np.abs(full_gradient(problem, prior, problem.start(), workers)).max() > 5
    assert np.abs(full_gradient(problem, prior, problem.optimum(prior, workers), workers)).max() <= 1e-6


def test_the_closed_form_of_least_squares_is_what_a_solver_finds(small_problem: ProblemMaker) -> None:
    problem, prior, workers = small_problem("least-squares"), Ridge(0.05), [1, 2, 4]
    found = LinearProblem.optimum(problem, prior, workers, tolerance=1e-10)
    np.testing.assert_allclose(problem.optimum(prior, workers), found, atol=1e-7)


def test_least_squares_of_three_points_by_hand() -> None:
    """y = 2x + 1 through x = 0, 1, 3, dealt to two workers; without a regulariser it is found exactly."""
    features, targets = np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 3.0, 7.0])
    dealt = Shards.deal(features, targets, [np.array([0]), np.array([2, 1])], dtype=np.float64)
    problem: LinearProblem = LeastSquares(dealt, outputs=1, batch=1, weight=1.0)
    np.testing.assert_allclose(problem.optimum(Ridge(0.0), [1, 2]), [2, 1])
    assert problem.local_losses(np.array([1.0, 0.0]), [1, 2]).tolist() == [0.5, (16 + 4) / 2 / 2]
    # worker 2 at (1, 0): residuals 3 - 7 and 1 - 3, so the means of (-4 * 3, -2 * 1) and of (-4, -2)
    assert problem.local_gradients(np.array([1.0, 0.0]), [2]).tolist() == [[-7, -3]]
    assert problem.accuracy(np.zeros(2), features, targets) is None


def test_accuracy_by_hand() -> None:
    """Scores of features 1, 2, 3: logistic s = x - 2, so -1, 0, 1; softmax (x, 3 - x), so classes 1, 0, 0."""
    features, parts = np.array([[1.0], [2.0], [3.0]]), [np.arange(3)]
    logistic = Logistic(Shards.deal(features, np.array([0, 1, 1]), parts), outputs=1, batch=1, weight=1.0)
    assert logistic.accuracy(np.array([1.0, -2.0]), features, np.array([0, 1, 1])) == 2 / 3
    softmax = Softmax(Shards.deal(features, np.array([1, 0, 1]), parts), outputs=2, batch=1, weight=1.0)
    assert softmax.accuracy(np.array([1.0, -1.0, 0.0, 3.0]), features, np.array([1, 0, 1])) == 2 / 3


@pytest.mark.parametrize("kind", ["softmax", "logistic"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_any_size_give_finite_losses_and_gradients(
    small_problem: ProblemMaker, kind: str, dtype: type
) -> None:
    """Also that a loss of 0 or of the score itself comes out where one class is certain."""
    problem = small_problem(kind, dtype)
    model: Vector = (1e6 * a_model(problem)).astype(dtype)
    assert np.isfinite(problem.local_gradients(model, problem.shards.workers)).all()
    losses = problem.local_losses(model, problem.shards.workers)
    expected = problem.local_losses(model / 10, problem.shards.workers)
    np.testing.assert_allclose(losses, 10 * expected, rtol=1e-4)


@pytest.mark.parametrize("batch", [0, -1])
def test_batches_that_cannot_be(small_problem: ProblemMaker, batch: int) -> None:
    with pytest.raises(InvalidInput, match=f"batch must be at least 1; got {batch}"):
        replace(small_problem("softmax"), batch=batch)


@pytest.mark.parametrize("weight", [-0.1, np.inf, np.nan])
def test_regularisers_that_cannot_be(weight: float) -> None:
    with pytest.raises(InvalidInput, match=f"l2 must be at least 0 and finite; got {weight}"):
        Ridge(weight)


def test_a_worker_draws_from_its_own_samples() -> None:
    """At 0, the gradient of (s - y)^2 / 2 by the bias is minus the mean target: here the number of the owner."""
    owners = np.repeat([1, 2, 3], [2, 1, 40])
    dealt = Shards.deal(owners[:, np.newaxis], owners, [np.flatnonzero(owners == worker) for worker in (1, 2, 3)])
    problem = LeastSquares(dealt, outputs=1, batch=100, weight=1.0)
    gradients = problem.oracle(np.array([3, 1, 2]))(problem.start(), 5)
    np.testing.assert_allclose(gradients[:, -1], [-3, -1, -2], rtol=1e-6)


def test_nobody_may_go_without_samples() -> None:
    parts = [np.array([0]), np.array([], dtype=np.int64), np.array([1])]
    with pytest.raises(InvalidInput, match="at least one sample; got an empty shard for worker 2"):
        Shards.deal(np.zeros((2, 3)), np.zeros(2), parts)
