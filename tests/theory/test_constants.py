"""The constants of Assumptions 1 to 3 by hand, and as laws on problems whose workers differ."""

import re
from collections.abc import Callable
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.insight.theorems import find_guarantees
from holdfast.methods import L1, Ridge
from holdfast.problems import REGISTRY, LinearProblem, Shards
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.theory import Curvature, Delta3, Guarantees, dual, lambda0, variance, variance_bound
from own_problem import Own


def one_worker(kind: str, scale: float = 1.0) -> LinearProblem:
    """Features 1 and 3 in units of the scale; G = [[5, 2], [2, 1]] has eigenvalues 3 -+ sqrt(8)."""
    features = np.array([[1.0], [3.0]]) / scale
    targets = np.zeros(2) if kind == "least-squares" else np.array([0, 1])
    shards = Shards.deal(features, targets, [np.arange(2)], scale, np.float64)
    return REGISTRY[kind](shards, 2 if kind == "softmax" else 1, batch=2, weight=0.5)


@pytest.mark.parametrize("scale", [1.0, 4.0])
@pytest.mark.parametrize(
    ("kind", "least", "most"), [("least-squares", 1, 1), ("logistic", 0, 1 / 4), ("softmax", 0, 1 / 2)]
)
def test_curvature_by_hand(kind: str, least: float, most: float, scale: float) -> None:
    found = Curvature.of(one_worker(kind, scale), Ridge(0.3), [1])
    assert found.mu == pytest.approx([0.5 * least * (3 - sqrt(8))], rel=1e-12)
    assert pytest.approx([0.5 * most * (3 + sqrt(8))], rel=1e-12) == found.L
    assert (found.mu0, found.L0) == (0.3, 0.3)


def test_a_feature_that_never_varies_leaves_a_loss_flat() -> None:
    shards = Shards.deal(np.array([[7.0], [7.0]]), np.zeros(2), [np.arange(2)], dtype=np.float64)
    found = Curvature.of(REGISTRY["least-squares"](shards, 1, 1, 1.0), Ridge(0.0), [1])
    assert found.mu.tolist() == [0]  # G = [[49, 7], [7, 1]]: eigenvalues 0 and 50
    assert pytest.approx([50]) == found.L
    assert found.flat == "mu_0 = 0, mu_1 = 0"
    assert found.least == 0


@pytest.mark.parametrize("kind", REGISTRY)
def test_no_gradient_turns_faster_or_slower(small_problem: Callable[..., LinearProblem], kind: str) -> None:
    problem = small_problem(kind)
    found = Curvature.of(problem, Ridge(0.1), problem.shards.workers)
    generator = np.random.default_rng(1)
    for size in (0.01, 1.0, 10.0):
        x, y = generator.normal(size=(2, problem.dimension)) * size
        change = problem.local_gradients(x, problem.shards.workers) - problem.local_gradients(y, problem.shards.workers)
        assert (np.linalg.norm(change, axis=1) <= found.L * np.linalg.norm(x - y) * (1 + 1e-9)).all()
        assert (change @ (x - y) >= found.mu * ((x - y) @ (x - y)) * (1 - 1e-9)).all()


def test_variance_by_hand() -> None:
    # at (1, 0) the residuals are 1 and 3, the gradients (1, 1) and (9, 3), their mean (5, 2): both are 17 away
    # (squared); a batch of 2 halves that, the weight 1/2 takes a quarter
    assert variance(one_worker("least-squares"), np.array([1.0, 0.0]), [1]) == pytest.approx([17 / 2 / 4])


def test_variance_is_that_of_the_minibatches(small_problem: Callable[..., LinearProblem]) -> None:
    problem = small_problem("softmax")
    model = np.random.default_rng(3).normal(size=problem.dimension)
    oracle = problem.oracle(problem.shards.workers)
    draws = np.stack([oracle(model, round) for round in range(4000)])
    seen = np.sum((draws - problem.local_gradients(model, problem.shards.workers)) ** 2, axis=2).mean(axis=0)
    np.testing.assert_allclose(seen, variance(problem, model, problem.shards.workers), rtol=0.1)


def test_the_least_squares_bound_is_attained_around_a_centre_without_variance() -> None:
    problem = one_worker("least-squares")
    angles = np.linspace(0, 2 * np.pi, 2000)
    largest = max(variance(problem, 3 * np.array([np.cos(a), np.sin(a)]), [1])[0] for a in angles)
    assert variance_bound(problem, [1], np.zeros(2), radius=3.0) == pytest.approx([largest], rel=1e-4)


@pytest.mark.parametrize("kind", REGISTRY)
def test_no_variance_in_the_ball_exceeds_its_bound(small_problem: Callable[..., LinearProblem], kind: str) -> None:
    problem, generator = small_problem(kind), np.random.default_rng(2)
    workers, centre = problem.shards.workers, generator.normal(size=problem.dimension)
    bound = variance_bound(problem, workers, centre, radius=2.0)
    for _ in range(50):
        way = generator.normal(size=problem.dimension)
        assert (variance(problem, centre + 2 * way / np.linalg.norm(way), workers) <= bound).all()


def test_bounds_of_bounded_slopes_by_hand() -> None:
    # mean of |a|^2 over (1, 1) and (3, 1) is 6; weight^2 / batch = 1/8; the slope squared is 1 and 2
    for kind, square in (("logistic", 1), ("softmax", 2)):
        problem = one_worker(kind)
        assert variance_bound(problem, [1], problem.start(), inf) == pytest.approx([6 * square / 8])


@pytest.mark.parametrize(("p", "asked"), [(1, 4), (2, 5), (inf, 7), (4, (3 ** (4 / 3) + 4 ** (4 / 3)) ** (3 / 4))])
def test_lambda0_by_hand(p: float, asked: float) -> None:
    for size in (1.0, 1e-200, 1e200):
        assert lambda0(size * np.array([[3.0, -4.0], [0.0, 0.0]]), p) == pytest.approx([size * asked, 0])


def test_Delta3_by_hand() -> None:
    # l2: |(3, -4)| = 5; of lambda 2, 3/5 of the gradient is left, of length 3 at the worker and at the master
    assert Delta3(np.array([[3.0, -4.0]]), 2, 2.0, mu=2.0) == pytest.approx((9 + 9) / 4)
    assert Delta3(np.array([[3.0, -4.0]]), 2, 2.0, mu=0.0) == inf


def test_norms_below_1_are_refused() -> None:
    with pytest.raises(InvalidInput, match="norm must be at least 1"):
        dual(0.5)


def test_a_problem_without_a_known_optimum_is_refused_in_a_line() -> None:
    own_problem: Any = Own()
    refused = "needs a problem with a known optimum (softmax, logistic, least-squares); got Own"
    asks: dict[str, Callable[[], object]] = {
        "curvature": lambda: Curvature.of(own_problem, Ridge(0.1), [1]),
        "variance": lambda: variance(own_problem, own_problem.start(), [1]),
        "theory": lambda: Guarantees.of(own_problem, Ridge(0.1), L1(1.0), [1], 0),
    }
    for asker, ask in asks.items():
        with pytest.raises(InvalidInput, match=re.escape(f"{asker} {refused}")):
            ask()
    with pytest.raises(InvalidInput, match=re.escape(f"variance {refused}")):
        variance_bound(own_problem, [1], own_problem.start(), 1.0)
    with pytest.raises(InvalidInput, match=re.escape(f"theory {refused}")):
        find_guarantees(Spec(problem=own_problem, method="rsa", workers=2))
    with pytest.raises(InvalidInput, match=re.escape(f"theorem2 {refused}")):
        run(Spec(problem=own_problem, method="rsa", workers=2, schedule="theorem2"))
