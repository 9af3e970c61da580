"""Attacks on three honest workers by two Byzantine ones, worked out by hand."""

import numpy as np
import pytest

from holdfast.attacks import Contrarian, Duplicate, FullView, Gaussian, Infinite, NegativeSum, SameValue, SignFlip
from holdfast.errors import InvalidInput
from holdfast.typing import Rows

HONEST = np.array([[1.0, -2.0, 4.0], [3.0, 1.0, -1.0], [-1.0, -5.0, 0.0]])
OWN = np.array([[2.0, 2.0, -1.0], [0.5, 0.0, 8.0]])
MODEL = np.array([2.0, -1.0, 0.0])


def view(neutral: Rows, own: Rows = OWN, honest: Rows = HONEST, round: int = 3, seed: int = 0) -> FullView:
    """Workers 2, 3 and 5 are honest, 1 and 4 are not."""
    return FullView(own, neutral, np.array([1, 4][: len(own)]), round, seed, honest, np.array([2, 3, 5]))


GRADIENTS = view(neutral=np.zeros(3))
MODELS = view(neutral=MODEL)
either = pytest.mark.parametrize("seen", [GRADIENTS, MODELS], ids=["gradients", "models"])


@either
def test_same_value(seen: FullView) -> None:
    assert SameValue()(seen).tolist() == [[100] * 3] * 2
    assert SameValue(value=-7.5)(seen).tolist() == [[-7.5] * 3] * 2


@either
def test_sign_flip(seen: FullView) -> None:
    assert SignFlip()(seen).tolist() == [[-8, -8, 4], [-2, 0, -32]]
    assert SignFlip(factor=-1.0)(seen).tolist() == (-OWN).tolist()


@either
def test_infinite(seen: FullView) -> None:
    assert Infinite()(seen).tolist() == [[np.inf] * 3] * 2


@either
def test_gaussian_is_fixed_by_its_address_and_of_its_scale(seen: FullView) -> None:
    sent = Gaussian()(seen)
    np.testing.assert_array_equal(sent, Gaussian()(view(neutral=seen.neutral, own=-OWN)))
    np.testing.assert_allclose(Gaussian(scale=1.0)(seen), sent / 10000)
    assert len(np.unique([sent, Gaussian()(view(MODEL, round=4)), Gaussian()(view(MODEL, seed=1))])) == 18
    many = Gaussian()(view(np.zeros(10_000), own=np.zeros((2, 10_000))))
    assert abs(many.mean()) < 4 * 10_000 / 20_000**0.5
    assert abs(many.std() / 10_000 - 1) < 0.02


@either
def test_negative_sum_of_one_worker(seen: FullView) -> None:
    """The honest messages add up to (3, -6, 3)."""
    sent = NegativeSum()(view(seen.neutral, own=OWN[:1]))
    assert sent.tolist() == [[-3, 6, -3]]
    assert (HONEST.sum(axis=0) + sent.sum(axis=0)).tolist() == [0, 0, 0]


@either
def test_negative_sum_of_two_workers(seen: FullView) -> None:
    sent = NegativeSum()(seen)
    assert sent.tolist() == [[-1.5, 3, -1.5]] * 2
    assert (HONEST.sum(axis=0) + sent.sum(axis=0)).tolist() == [0, 0, 0]


@either
def test_duplicate(seen: FullView) -> None:
    """Worker 5 is the third honest one."""
    assert Duplicate(worker=5)(seen).tolist() == [[-1, -5, 0]] * 2
    assert Duplicate(worker=2)(seen).tolist() == [[1, -2, 4]] * 2


@pytest.mark.parametrize("worker", [1, 6, 0])
def test_duplicate_of_nobody_honest(worker: int) -> None:
    with pytest.raises(InvalidInput, match=f"needs an honest worker to copy; got worker={worker}"):
        Duplicate(worker)(MODELS)


def test_contrarian_on_gradients() -> None:
    """Signs (+ - +), (+ + -), (- - 0): majorities +, -, none. The farthest from 0 are 3, 5 and 4."""
    assert Contrarian()(GRADIENTS).tolist() == [[-3, 5, 0]] * 2


def test_contrarian_on_models() -> None:
    """Offsets from (2, -1, 0): (-1, -1, 4), (1, 2, -1), (-3, -4, 0). Majorities -, -, none; farthest 3, 4, 4.

    So 2 + 3 = 5 and -1 + 4 = 3, and the tied coordinate stays at the master's 0.
    """
    assert Contrarian()(MODELS).tolist() == [[5, 3, 0]] * 2


def test_a_tied_coordinate_stays_neutral_wherever_the_master_is() -> None:
    tied = np.array([[8.0], [6.0], [7.0]])
    assert Contrarian()(view(np.array([7.0]), own=np.zeros((2, 1)), honest=tied)).tolist() == [[7], [7]]
