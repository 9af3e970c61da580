"""Subgradients of the l2 and the l-infinity norm: the plain formula, whatever rows hold and however they come."""

from math import inf, nan, sqrt
from typing import Literal

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import DIMENSIONS, DTYPES, Maker, assert_same, hostile, ordinary, specials

from holdfast.errors import InvalidInput
from holdfast.kernels import loading, penalty_steps
from holdfast.typing import Rows, Vector

every_type = pytest.mark.parametrize("dtype", DTYPES)
every_norm = pytest.mark.parametrize("p", [2, inf])
every_kind = pytest.mark.parametrize("rows_of", [ordinary, hostile])
some_norm = st.sampled_from([2, inf])
WEIGHT = 0.07


def any_rows() -> st.SearchStrategy[Rows]:
    """Few rows of few numbers, of which some are special, most of one size, and all sizes occur."""

    def of(dtype: type) -> st.SearchStrategy[Rows]:
        width: Literal[32, 64] = 32 if dtype is np.float32 else 64
        entries = st.sampled_from([*specials(dtype), float(np.finfo(dtype).max) / 3]) | st.floats(width=width)
        entries |= st.floats(-3, 3, width=width)
        return arrays(dtype, st.tuples(st.integers(1, 11), st.integers(1, 9)), elements=entries)

    return st.sampled_from(DTYPES).flatmap(of)


def assert_subgradients(p: float, rows: Rows, found: Rows) -> None:
    """To the bit in l-infinity. In l2 two roundings, and those of as many additions as a lane sees."""
    expected = twins.subgradients(p, WEIGHT, rows)
    assert (found.dtype, found.shape) == (rows.dtype, rows.shape)
    if p == inf:
        np.testing.assert_array_equal(found, expected)
        return
    limits = np.finfo(rows.dtype)
    additions = rows.shape[-1] / loading.kernels("row_lengths").BLOCK + 9
    wrong = 2 * float(limits.eps) + additions * float(np.finfo(np.float64).eps)
    np.testing.assert_allclose(found, expected, rtol=wrong, atol=float(limits.tiny))


@every_type
@every_norm
@every_kind
@pytest.mark.parametrize("d", [*DIMENSIONS, 511, 512, 513, 1024])
def test_subgradients_are_the_formula(rows_of: Maker, d: int, p: float, dtype: type) -> None:
    for n in (1, 5):
        rows = rows_of(n, d, dtype)
        assert_subgradients(p, rows, penalty_steps.subgradients(p, WEIGHT, rows))


@given(some_norm, any_rows())
def test_subgradients_of_anything(p: float, rows: Rows) -> None:
    before = rows.copy()
    assert_subgradients(p, rows, penalty_steps.subgradients(p, WEIGHT, rows))
    assert_same(rows, before)


@every_type
@every_norm
@every_kind
@pytest.mark.parametrize("d", [1, 65, 513, 2049])
def test_pull_adds_the_subgradients_in_the_order_of_the_rows(rows_of: Maker, d: int, p: float, dtype: type) -> None:
    for n in (1, 2, 9):
        model, *rest = rows_of(n + 1, d, dtype)
        rows: Rows = np.array(rest, dtype).reshape(n, d)
        rows[5:6, -1] = inf  # in l2 of another kind than its neighbours, with which it would be taken together
        assert_same(penalty_steps.pull(p, WEIGHT, model, rows), added(p, model, rows), n)


@given(some_norm, any_rows())
def test_pull_of_anything(p: float, rows: Rows) -> None:
    assert_same(penalty_steps.pull(p, WEIGHT, rows[0], rows), added(p, rows[0], rows))


def added(p: float, model: Vector, rows: Rows) -> Vector:
    """One after another, by single calls; from 0 on, so that no sum is -0."""
    total = np.zeros_like(model)
    for row in rows:
        with np.errstate(all="ignore"):
            total = total + penalty_steps.subgradients(p, WEIGHT, model - row)
    return total


@given(some_norm, any_rows())
def test_steps_are_the_formula_as_numpy_rounds_it(p: float, rows: Rows) -> None:
    master, gradients = rows[0].copy(), rows[:, ::-1]
    with np.errstate(all="ignore"):
        expected = rows - 0.3 * (gradients + penalty_steps.subgradients(p, WEIGHT, rows - master))
    assert_same(penalty_steps.steps(p, WEIGHT, rows, master, gradients, 0.3), expected)


@every_type
def test_l2_by_hand(dtype: type) -> None:
    """3-4-5; nothing; NaN as 0; two infinities share; the largest numbers; the smallest, 3 and 4 times."""
    large, small = float(np.finfo(dtype).max), float(np.finfo(dtype).smallest_subnormal)
    rows: Rows = np.array(
        [[3, -4, 0], [0, 0, -0.0], [nan, 3, 4], [inf, 9, -inf], [large, large, large], [3 * small, 0, -4 * small]],
        dtype,
    )
    third = 1 / sqrt(3)
    expected: Rows = np.array(
        [[0.6, -0.8, 0], [0, 0, 0], [0, 0.6, 0.8], [sqrt(0.5), 0, -sqrt(0.5)], [third] * 3, [0.6, 0, -0.8]]
    )
    found = penalty_steps.subgradients(2, 1.0, rows)
    np.testing.assert_allclose(found, expected, rtol=2 * float(np.finfo(dtype).eps))


@every_type
@every_norm
def test_every_size_there_is(p: float, dtype: type) -> None:
    """(3, -4) times every power of two for which both are numbers: the same to the bit."""
    limits = np.finfo(dtype)
    exponents = np.arange(limits.minexp - limits.nmant, limits.maxexp - 2)
    rows: Rows = np.ldexp(np.array([[3, -4]], dtype), exponents[:, np.newaxis])
    assert np.isfinite(rows).all()
    assert float(rows[0, 0]) == 3 * float(limits.smallest_subnormal)
    found = penalty_steps.subgradients(p, WEIGHT, rows)
    assert_same(found, np.broadcast_to(penalty_steps.subgradients(p, WEIGHT, np.array([3, -4], dtype)), rows.shape))


@every_type
def test_l_infinity_by_hand(dtype: type) -> None:
    """A tie; not quite one; nothing; NaN alone and beside a number; infinities; the smallest number."""
    below, small = float(np.nextafter(dtype(2), dtype(0))), float(np.finfo(dtype).smallest_subnormal)
    rows: Rows = np.array(
        [[2, -2, 1], [2, -below, 0], [0, 0, -0.0], [nan] * 3, [nan, 1, -2], [-inf, inf, 5], [small, 0, -small]], dtype
    )
    expected = [[2, -2, 0], [4, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, -4], [-2, 2, 0], [2, 0, -2]]
    assert penalty_steps.subgradients(inf, 4.0, rows).tolist() == expected


@every_norm
def test_rows_may_be_a_single_one_or_lie_along_more_axes(p: float) -> None:
    rows = ordinary(6, 70, np.float32)
    found = penalty_steps.subgradients(p, WEIGHT, rows)
    assert_same(penalty_steps.subgradients(p, WEIGHT, rows[2]), found[2])
    assert_same(penalty_steps.subgradients(p, WEIGHT, rows.reshape(2, 3, 70)), found.reshape(2, 3, 70))


@every_norm
def test_other_numbers_count_as_float64(p: float) -> None:
    whole = np.array([[3, -4], [1, 1]])
    exact = penalty_steps.subgradients(p, WEIGHT, whole.astype(np.float64))
    assert_same(penalty_steps.subgradients(p, WEIGHT, whole), exact)
    assert_same(
        penalty_steps.pull(p, WEIGHT, whole[0], whole), penalty_steps.pull(p, WEIGHT, whole[0] * 1.0, whole * 1.0)
    )


def test_arrays_that_do_not_match_are_refused() -> None:
    rows = ordinary(5, 70, np.float32)
    for model in (rows[0, :69], rows[0].astype(np.float64)):
        with pytest.raises(InvalidInput, match=r"must be like the model, .*; got \(70,\) of float32"):
            penalty_steps.pull(2, WEIGHT, model, rows)
        with pytest.raises(InvalidInput, match=r"must be like the model, .*; got \(70,\) of float32"):
            penalty_steps.steps(2, WEIGHT, rows, model, rows, 0.1)
    for gradients in (rows[:4], rows.astype(np.float64)):
        with pytest.raises(InvalidInput, match=r"gradients must be like the models, \(5, 70\) of float32; got"):
            penalty_steps.steps(2, WEIGHT, rows, rows[0], gradients, 0.1)
