"""What a worker that learns alone reports, by hand; and that it reports the same in any company."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest

from holdfast.methods.priors import Ridge
from holdfast.problems import LeastSquares, LinearProblem, Shards
from holdfast.runs.survey import Sampled, Surveyor
from holdfast.theory import Curvature
from holdfast.typing import Vector, Workers
from outsiders import Quadratic

BIAS_ONLY = LeastSquares(
    Shards.deal(np.zeros((1, 1)), np.array([3.0]), [np.array([0])], dtype=np.float64), outputs=1, batch=2, weight=0.25
)
"""One sample with feature 0 and target 3: F(w, b) = (b - 3)^2 / 8."""


def reports(problem: LinearProblem, p: float, workers: list[int] | None = None) -> np.ndarray:
    ids = problem.shards.workers if workers is None else np.array(workers)
    return Surveyor.of(problem, ids, p).measure(problem.start(), problem.oracle(ids))


def curvatures(problem: LinearProblem, workers: np.ndarray) -> np.ndarray:
    return Sampled(problem).curvatures(problem.start(), problem.oracle(workers), workers)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, inf])
def test_a_parabola(p: float) -> None:
    """The curvature is 1/4, so the first step of 4 * 3/4 = 3 lands on b = 3 and gains 9/8.

    A third of it is what Byzantine workers may take: the price is (9/8 / 3) / 3 = 1/8. The pull z of any norm is 1
    there, and goes 3 times into b.
    """
    assert reports(BIAS_ONLY, p)[0] == pytest.approx([1 / 8, 3.0, 1 / 4])


@pytest.mark.parametrize(("p", "share"), [(1.0, 1 / 3), (2.0, 1 / 4), (inf, 1 / 4)])
def test_with_a_bounded_slope_other_norms_than_l1_give_less_away(
    p: float, share: float, small_problem: Callable[..., LinearProblem]
) -> None:
    problem = small_problem("softmax")
    assert Surveyor.of(problem, problem.workers, p).share == share


def test_the_reach_of_a_pull() -> None:
    """Features 1 and bias 1 grow alike: x = (t, t). Pulls have entries 1, 1/sqrt(2), 1/2 in l1, l2, l-infinity.

    So the reaches are t, sqrt(2) t, 2 t.
    """
    ones = replace(BIAS_ONLY, shards=replace(BIAS_ONLY.shards, features=np.ones((1, 1))))
    one, two, infinite = (reports(ones, p)[0, 1] for p in (1.0, 2.0, inf))
    assert (two / one, infinite / one) == pytest.approx((sqrt(2), 2.0))


@pytest.mark.parametrize(("kind", "steepest"), [("softmax", 0.5), ("logistic", 0.25), ("least-squares", 1.0)])
def test_curvature(kind: str, steepest: float, small_problem: Callable[..., LinearProblem]) -> None:
    """Samples (1, 1) and (-1, 1) with their bias have products 2, 0, 0, 2: the mean of a a' has eigenvalue 2/2 = 1."""
    shards = Shards.deal(np.array([[1.0], [-1.0]]), np.array([0, 1]), [np.array([0, 1])], dtype=np.float64)
    problem = replace(small_problem(kind), shards=shards)
    assert curvatures(problem, np.array([1])) == pytest.approx([0.25 * steepest * 1])


@pytest.mark.parametrize("kind", ["softmax", "logistic", "least-squares"])
def test_curvature_is_that_of_the_theorems(kind: str, small_problem: Callable[..., LinearProblem]) -> None:
    problem = small_problem(kind)
    theirs = Curvature.of(problem, Ridge(0.01), problem.shards.workers).L
    assert curvatures(problem, problem.shards.workers) == pytest.approx(theirs)


@pytest.mark.parametrize("kind", ["softmax", "logistic", "least-squares"])
def test_a_worker_reports_the_same_in_any_company(kind: str, small_problem: Callable[..., LinearProblem]) -> None:
    problem = small_problem(kind)
    everyone = reports(problem, 1.0)
    assert (reports(problem, 1.0, [4, 1, 6]) == everyone[[3, 0, 5]]).all()
    assert (reports(problem, 1.0, [2]) == everyone[[1]]).all()


@pytest.mark.parametrize("p", [1.0, 2.0, inf])
def test_reports_scale_with_the_features(p: float, small_problem: Callable[..., LinearProblem]) -> None:
    """Without a bias, features times s give models / s: price times s, reach / s, curvature times s^2.

    Features this large leave the bias little to say: it is a thousandth of them.
    """
    problem = small_problem("softmax", least=20)
    large, larger = (replace(problem, shards=replace(problem.shards, scale=scale)) for scale in (1e3, 4e3))
    assert reports(larger, p) == pytest.approx(reports(large, p) * [4, 1 / 4, 16], rel=2e-3)


class Cliff(Quadratic):
    """A loss that falls from 0, almost straight, to a plain that begins at 1: F(x) = 0.005 x^2 - x up to there."""

    def start(self) -> Vector:
        return np.zeros(1)

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        x = min(float(model[0]), 1.0)
        return 0.005 * x**2 - x

    def oracle(self, workers: Workers) -> Any:
        return lambda models, round: np.where(models < 1, 0.01 * models - 1, 0.0)


def test_where_curvature_may_change_the_walk_has_short_steps() -> None:
    """The curvature at the start is 0.01: a step of 100 gains 0.995, and so does one of 100 / 8, which is taken.

    The price of the latter is (0.995 / 3) / 12.5, eight times that of the former.
    """
    problem, alone = Cliff(np.zeros((1, 1))), np.array([1])
    found = Surveyor.of(problem, alone, 2.0).measure(problem.start(), problem.oracle(alone))
    assert found[0] == pytest.approx([0.995 / 3 / 12.5, 12.5, 0.01])


def test_who_cannot_learn_has_no_price() -> None:
    nothing = replace(BIAS_ONLY, shards=replace(BIAS_ONLY.shards, targets=np.array([0.0])))
    assert (reports(nothing, 1.0)[0] == [0.0, 0.0, 0.25]).all()
