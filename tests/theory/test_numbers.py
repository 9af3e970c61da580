"""The bounds against simulation: RSA under attack on least squares whose workers differ."""

import numpy as np

from holdfast.theory import numbers


def test_theorems_2_and_3_hold_and_say_something() -> None:
    curve = numbers.convergence(byzantine=2, rounds=1500, seeds=range(3))
    mean, bound = np.array(curve.mean), np.array(curve.bound)
    assert curve.farthest <= 1  # where delta_i^2 holds
    assert (mean <= bound * (1 + 1e-12)).all()
    assert bound[-1] < mean[0] / 2  # more is promised than that nothing gets worse
    assert mean[-1] > bound[-1] / 100  # and the attack does keep RSA away
    found = numbers.guarantees(2)
    assert found.convergence is not None
    assert found.penalty.weight > found.lambda0
    late = np.arange(found.convergence.steps.k0, 1501)
    assert (mean[late] <= found.convergence.theorem3(late)).all()


def test_the_supplements_theorem_holds_and_says_something() -> None:
    curve = numbers.averages(byzantine=2, rounds=600, seeds=range(3))
    mean, bound = np.array(curve.mean), np.array(curve.bound)
    assert curve.farthest <= 1
    assert (mean > 0).all()
    assert (mean <= bound).all()
    assert bound[-1] < mean[0]


def test_the_gap_is_quadratic_in_the_number_of_byzantine_workers() -> None:
    found = numbers.gaps(most=4, rounds=1000, seeds=range(2))
    assert (np.array(found.measured) <= found.bound).all()
    np.testing.assert_allclose(np.array(found.bound) / found.bound[0], [1, 4, 9, 16])
    assert 1.8 < found.exponent < 2.3


def test_the_numbers_repeat() -> None:
    assert numbers.convergence(1, 20, [5]) == numbers.convergence(1, 20, [5])
