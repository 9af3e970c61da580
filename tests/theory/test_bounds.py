"""Step sizes and bounds of Theorems 2 and 3 and of the supplement's theorem: every constant by hand."""

from math import inf

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.theory import (
    Averaging,
    Convergence,
    Curvature,
    Disturbance,
    InverseSqrtSteps,
    InverseSteps,
    RunningAverage,
)

CURVATURE = Curvature(mu=np.array([1.0, 2.0]), L=np.array([3.0, 2.0]), mu0=1.0, L0=1.0)
STIFF = Curvature(mu=np.array([1.0, 2.0]), L=np.array([3.0, 2.0]), mu0=8.0, L0=12.0)
DISTURBANCE = Disturbance(variances=np.array([1.0, 2.0]), penalty=0.5, byzantine=3, dimension=10)


def test_the_steps_of_theorem_2() -> None:
    # low: 1/(2(1+3)), 1/(2(2+2)), 1/(2(1+1)); eta: 2*1*3/4, 2*2*2/4, 2*1*1/2 - epsilon with epsilon = 1/2
    steps = InverseSteps.of(CURVATURE)
    assert (steps.low, steps.eta, steps.epsilon, steps.high) == (1 / 8, 0.5, 0.5, 4.0)
    assert steps.k0 == 31  # 1/8 >= 4 / 32
    assert [steps(k) for k in (0, 30, 31, 63)] == [1 / 8, 1 / 8, 1 / 8, 1 / 16]
    assert InverseSteps.of(CURVATURE, epsilon=0.25).eta == 0.75


def test_the_steps_of_theorem_2_where_workers_bend_least() -> None:
    # master: 2*8*12/20 = 9.6, epsilon 4.8; its 1/(2(8+12)) is the smallest step, the first worker's 6/4 the least rate
    steps = InverseSteps.of(STIFF)
    assert (steps.low, steps.eta, steps.epsilon) == pytest.approx((1 / 40, 1.5, 4.8))


def test_the_steps_of_the_supplement() -> None:
    # 1/(4*9), 2/(4*4), (1 - 1/2)/(4*1); with the stiff master (8 - 4)/(4*144)
    assert InverseSqrtSteps.of(CURVATURE) == InverseSqrtSteps(low=1 / 36, high=1 / 36, epsilon=0.5)
    assert InverseSqrtSteps.of(STIFF).low == 4 / 576
    steps = InverseSqrtSteps.of(CURVATURE, high=1 / 12)
    assert [steps(k) for k in (0, 8, 35)] == pytest.approx([1 / 36, 1 / 36, 1 / 72])


def test_what_disturbs() -> None:
    # lambda^2 d = 2.5: 16*2.5*2 + 16*2.5*4 + 2*2.5*9 + 2*(1+2)
    assert DISTURBANCE.Delta0 == 80 + 160 + 45 + 6
    assert DISTURBANCE.Delta2(0.5) == 2.5 * 9 / 0.5


def test_theorem_2() -> None:
    theorem = Convergence(InverseSteps.of(CURVATURE), DISTURBANCE, start=1000.0)
    rest = (291 / 8 + 45) / 0.5
    at_k0 = (15 / 16) ** 30 * 1000 + rest
    Delta1 = 32 * at_k0 + 16 * 291 / 32  # the other candidate is 16 * 291 / (2 - 1), less than half of it
    assert theorem.Delta1 == pytest.approx(Delta1)
    assert theorem.gap == 4 * 45
    expected = [1000, 1000 + rest, 15 / 16 * 1000 + rest, at_k0, Delta1 / 32 + 180, Delta1 / 100 + 180]
    np.testing.assert_allclose(theorem.theorem2([0, 1, 2, 31, 32, 100]), expected)


def test_Delta1_where_its_first_candidate_is_the_larger() -> None:
    theorem = Convergence(InverseSteps.of(CURVATURE, high=2.1), DISTURBANCE, start=1000.0)
    assert theorem.Delta1 == pytest.approx(2.1**2 * 291 / 0.05)


def test_where_steps_fall_from_the_first_round() -> None:
    theorem = Convergence(InverseSteps(low=1.0, high=0.9, eta=2.0, epsilon=0.5), DISTURBANCE, start=5000.0)
    assert theorem.steps.k0 == 0
    assert theorem.Delta1 == pytest.approx(5000 + 0.81 * 291)  # against 0.81 * 291 / 0.8
    np.testing.assert_allclose(theorem.theorem2([0, 2]), [5000, (5000 + 0.81 * 291) / 2 + 0.9 * 45])


def test_the_recursion_lies_below_both_regimes() -> None:
    theorem = Convergence(InverseSteps.of(CURVATURE), DISTURBANCE, start=1000.0)
    tight = theorem.recursion(2000)
    assert tight[1] == pytest.approx(15 / 16 * 1000 + 291 / 64 + 45 / 8)
    assert (tight <= theorem.theorem2(range(2001)) * (1 + 1e-12)).all()
    # Theorem 3 says of x^k what Theorem 2 says of x^{k+1}: true all the same
    assert (tight[31:] <= theorem.theorem3(range(31, 2001)) * (1 + 1e-12)).all()


def test_theorem_3() -> None:
    theorem = Convergence(InverseSteps.of(CURVATURE), DISTURBANCE, start=1000.0)
    once = theorem.Delta1 / 32 + 180
    assert theorem.theorem3(31) == pytest.approx(once)
    assert theorem.theorem3(31, Delta3=7.0) == pytest.approx(2 * once + 14)
    with pytest.raises(InvalidInput, match="k >= k0 = 31; got 30"):
        theorem.theorem3([30, 40])


def test_the_supplements_theorem() -> None:
    theorem = Averaging(InverseSqrtSteps(low=0.25, high=0.5, epsilon=0.5), DISTURBANCE, start=1000.0)
    # steps 0.25 up to k = 3, then 0.5 / sqrt(5); the Byzantine workers' 45 counts half
    late = 0.5 / np.sqrt(5)
    sums = [(0.25, 0.0625), (0.5, 0.125), (1.0 + late, 0.25 + late**2)]
    expected = [(1000 + 291 * squares) / (2 * total) + 22.5 for total, squares in sums]
    np.testing.assert_allclose(theorem.bound(5)[[0, 1, 4]], expected)
    assert theorem.gap == 22.5


def test_the_running_average() -> None:
    models, steps = np.random.default_rng(0).normal(size=(50, 3, 2)), 1 / np.sqrt(np.arange(1, 51))
    average = RunningAverage.start(models[0].astype(np.float32))
    for model, step in zip(models, steps, strict=True):
        average = average.add(model, float(step))
    np.testing.assert_allclose(average.model, np.tensordot(steps, models, 1) / steps.sum(), rtol=1e-12)
    assert average.weight == pytest.approx(steps.sum())


@pytest.mark.parametrize("steps", [InverseSteps, InverseSqrtSteps])
def test_flat_losses_are_refused(steps: type[InverseSteps | InverseSqrtSteps]) -> None:
    flat = Curvature(mu=np.array([1.0, 0.0]), L=np.array([3.0, 2.0]), mu0=1.0, L0=1.0, workers=[4, 9])
    with pytest.raises(InvalidInput, match=r"mu_i > 0 for every worker and the master; got mu_9 = 0$"):
        steps.of(flat)
    with pytest.raises(InvalidInput, match="epsilon between 0 and 1; got 1"):
        steps.of(CURVATURE, epsilon=1.0)


@pytest.mark.parametrize("rate", [2.0, 0.0, -1.0, inf])
def test_rates_too_small_for_theorem_2_are_refused(rate: float) -> None:
    with pytest.raises(InvalidInput, match=f"above 1 / eta = 2; got {rate:g}"):
        InverseSteps.of(CURVATURE, high=rate)


@pytest.mark.parametrize("rate", [0.0, -1.0, inf])
def test_rates_that_the_supplement_cannot_take_are_refused(rate: float) -> None:
    with pytest.raises(InvalidInput, match="positive and finite"):
        InverseSqrtSteps.of(CURVATURE, high=rate)
