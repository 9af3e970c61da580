"""Stochastic ADMM on RSA's problem, by hand and at its fixed point."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.methods import Constant, InverseSqrt, Ridge, RsaAdmm, Setting
from holdfast.typing import Messages, Request, Rows

SETTING = Setting(Constant(0.5), Ridge(1.0))
ALONE, WORKERS = np.array([1]), np.array([1, 2, 3])


def test_two_rounds_of_a_worker_by_hand() -> None:
    """alpha 0.5, beta 2, lambda 3, gradient x + draw, x0 = 0; the step is 0.5 / (1 + 1) = 0.25.

    round 0, x = 2:    eta = 0 + 1 (2 - 0) = 2;            x = 2 - 0.25 (2 + 0 + 4 - 0) = 0.5
    round 1, x = 0.5:  eta = 2 + 0.5 = 2.5;                x = 0.5 - 0.25 (0.5 + 1 + 5 - 2) = -0.625
    """
    rule = RsaAdmm(penalty=3.0, stiffness=1.0).program(SETTING).worker
    state = rule.init(np.array([[2.0]]))
    sent, state = rule.step(state, Request(np.array([0.0]), ALONE, 0), lambda models, draw: models + draw)
    assert (sent.item(), state.dual.item(), state.model.item()) == (2.0, 2.0, 0.5)
    sent, state = rule.step(state, Request(np.array([0.0]), ALONE, 1), lambda models, draw: models + draw)
    assert (sent.item(), state.dual.item(), state.model.item()) == (0.5, 2.5, -0.625)
    assert rule.neutral(np.array([4.0])).tolist() == [4.0]


def test_two_rounds_of_the_master_by_hand() -> None:
    """alpha 0.5, beta 1, lambda 3, f0 = x^2 / 2, x0 = 1; three messages: the step is 0.5 / (1 + 3 * 0.5) = 0.2.

    5, NaN, inf:  eta = 0.5 (5 - 1) = 2, 0, 3;                        x0 = 1 - 0.2 (1 - (4 + 0 + 6)) = 2.8
    Then workers 3 and 1 send 0.8 and 2.8; the step is 0.5 / (1 + 1) = 0.25:
                  eta = 3 - 1 = 2 and 2 + 0 = 2;    x0 = 2.8 - 0.25 (2.8 - (4 - 3 + 4 - 2)) = 2.85
    """
    program = RsaAdmm(penalty=3.0).program(SETTING)
    state = program.init(np.array([1.0]))
    messages = Messages(np.array([[5.0], [np.nan], [np.inf]]), WORKERS, 0)
    assert program.direction(state, messages)[0].tolist() == [-10.0]
    state = program.step(state, messages)
    assert state.memory.duals.tolist() == [[2.0], [0.0], [3.0]]
    np.testing.assert_allclose(state.model, [2.8])
    state = program.step(state, Messages(np.array([[0.8], [2.8]]), np.array([3, 1]), 1))
    np.testing.assert_allclose(state.memory.duals, [[2.0], [0.0], [2.0]])
    np.testing.assert_allclose(state.model, [2.85])


def test_beta_is_half_of_one_over_the_first_step() -> None:
    program = RsaAdmm(penalty=1.0).program(Setting(InverseSqrt(0.001), Ridge(0.0)))
    assert program.worker.beta == program.damping == 500.0  # type: ignore[attr-defined]


def test_it_ends_at_the_optimum_of_rsa() -> None:
    """F_i = (x - a_i)^2 / 2, a = 0 1 10, f0 = x^2 / 2, lambda 1: worker 3 is out of reach and pulls with lambda.

    x0 = sum_i eta_i and x_i = a_i - eta_i. If x_1 = x_2 = x0 and eta_3 = 1, then eta_1 = -x0, eta_2 = 1 - x0, and
    x0 = 2 - 2 x0 = 2 / 3, which |eta_i| <= 1 allows: x_3 = 9.
    """
    program = RsaAdmm(penalty=1.0).program(SETTING)
    centres = np.array([[0.0], [1.0], [10.0]])
    state, x = program.worker.init(centres), program.init(np.array([5.0]))

    def oracle(models: Rows, draw: int, /) -> Rows:
        return np.asarray(models - centres)

    for round in range(400):
        rows, state = program.worker.step(state, Request(x.model, WORKERS, round), oracle)
        x = program.step(x, Messages(rows, WORKERS, round))
    np.testing.assert_allclose(x.model, [2 / 3], atol=1e-9)
    np.testing.assert_allclose(state.model, [[2 / 3], [2 / 3], [9.0]], atol=1e-9)


@pytest.mark.parametrize("attack", ["gaussian", "sign-flip", "infinite"])
def test_it_learns_under_attack(attack: str) -> None:
    spec = hf.Spec(data="digits", method="rsa-admm", attack=attack, byzantine=4, rounds=500, eval_every=500)
    result = hf.run(spec)
    assert result.accuracy is not None
    assert result.accuracy > 0.8


def test_the_theorems_of_rsa_are_not_its_own() -> None:
    with pytest.raises(hf.InvalidInput, match="is a step size of rsa and ideal-rsa; got method=rsa-admm"):
        hf.run(hf.Spec(data="digits", method="rsa-admm", schedule="theorem2", rounds=1))
