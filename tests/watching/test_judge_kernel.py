"""The compiled judgement against its plain twin, on workers of every kind."""

import numpy as np
import plain_judge
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.kernels import comparisons
from holdfast.typing import Rows, Vector
from holdfast.watching import Judge, Opinion, differences
from holdfast.watching.judge import JUDGEMENTS

JUDGE = Judge(every=1)
KINDS = ("honest", "against", "copies", "noisy copies", "nothing")


def rows_of(kind: str, n: int, q: int, difference: float, seed: int) -> Rows:
    """n rows around a common direction of which q are of this kind."""
    generator, d = np.random.default_rng(seed), 96
    common = generator.choice([-1.0, 1.0], d)
    rows = np.where(generator.random((n, d)) < difference, -common, common)
    lies = {
        "honest": rows[:q],
        "against": -rows[:q],
        "copies": np.repeat(rows[-1:], q, axis=0),
        "noisy copies": np.where(generator.random((q, d)) < 0.02, -rows[-1], rows[-1]),
        "nothing": np.full((q, d), np.nan),
    }
    return np.concatenate([lies[kind], rows[q:]])


@given(st.sampled_from(KINDS), st.integers(3, 24), st.floats(0, 0.5), st.floats(0.02, 0.45), st.integers(0, 10**6))
def test_the_kernel_decides_as_its_twin(kind: str, n: int, share: float, difference: float, seed: int) -> None:
    rows, opinion = rows_of(kind, n, int(share * n), difference, seed), Opinion.none()
    for round in range(JUDGEMENTS):
        opinion = JUDGE(opinion, rows, np.zeros(96), np.arange(1, n + 1), round)
    weights, voices, found, limit = plain_judge.decided(JUDGE, opinion)
    np.testing.assert_allclose(opinion.weights, weights, rtol=1e-12)
    np.testing.assert_array_equal(opinion.voices, voices)
    np.testing.assert_allclose(opinion.difference, found, rtol=1e-12)
    assert opinion.limit == pytest.approx(limit)


def test_of_many_workers_it_decides_as_its_twin() -> None:
    rows, opinion = rows_of("against", 300, 100, 0.2, 0), Opinion.none()
    for round in range(JUDGEMENTS):
        opinion = JUDGE(opinion, rows, np.zeros(96), np.arange(1, 301), round)
    weights, voices, found, _ = plain_judge.decided(JUDGE, opinion)
    np.testing.assert_allclose(opinion.weights, weights, rtol=1e-12)
    np.testing.assert_array_equal(opinion.voices, voices)
    np.testing.assert_allclose(opinion.difference, found, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 63, 64, 65, 511, 513])
def test_sides_differ_as_signs_do(d: int, dtype: type) -> None:
    generator = np.random.default_rng(d)
    rows: Rows = generator.choice([-np.inf, -1.0, 0.0, 1.0, np.nan], (5, d)).astype(dtype)
    neutral: Vector = generator.choice([-1.0, 0.0, 1.0], d).astype(dtype)
    signs = np.subtract(rows > neutral, rows < neutral, dtype=float)
    expected = np.abs(signs[:, np.newaxis] - signs).mean(axis=2) / 2
    np.testing.assert_allclose(differences(rows, neutral), expected, atol=1e-15)


def test_what_is_undecided_is_tied_or_nan() -> None:
    rows = np.arange(6.0).reshape(2, 3)
    assert comparisons.find_ties(np.full(3, 2.5), rows).tolist() == []
    assert comparisons.find_ties(np.array([3.0, 1.0, 9.0]), rows).tolist() == [1, 3]
    rows[1, 2] = np.nan
    assert comparisons.find_ties(np.full(3, 2.5), rows).tolist() == [5]


def test_rows_without_weight_are_not_read() -> None:
    """By hand: of signs 1, -1 and one that is not read, with weights 1, 1/4 and 0."""
    from holdfast.methods.penalties import L1, L2, Lp

    model, rows, weights = np.zeros(1), np.array([[-2.0], [3.0], [np.inf]]), np.array([1.0, 0.25, 0.0])
    for penalty in (L1(2.0), L2(2.0), Lp(3.0, 2.0)):
        assert penalty.pull(model, rows, weights).tolist() == [1.5]
    with pytest.raises(InvalidInput, match="one per row"):
        L2(2.0).pull(model, rows, weights[:2])
