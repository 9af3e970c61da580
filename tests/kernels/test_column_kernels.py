"""Means, mixtures and sums of signs, a column at a time."""

from typing import Literal

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import DIMENSIONS, DTYPES, Maker, assert_same, hostile, ordinary, specials

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Vector

every_type = pytest.mark.parametrize("dtype", DTYPES)
every_kind = pytest.mark.parametrize("rows_of", [ordinary, hostile])
every_dimension = pytest.mark.parametrize("d", DIMENSIONS)

COUNTS = [1, 2, 3, 4, 5, 6, 9]
"""Rows are taken four at a time: every remainder, with and without a first four."""


def any_rows() -> st.SearchStrategy[Rows]:
    """Few rows of few numbers, which may be anything."""

    def of(dtype: type) -> st.SearchStrategy[Rows]:
        width: Literal[32, 64] = 32 if dtype is np.float32 else 64
        entries = st.sampled_from(specials(dtype)) | st.floats(width=width)
        return arrays(dtype, st.tuples(st.integers(1, 11), st.integers(1, 9)), elements=entries)

    return st.sampled_from(DTYPES).flatmap(of)


@every_type
@every_kind
@every_dimension
def test_mean_to_the_bit(rows_of: Maker, d: int, dtype: type) -> None:
    for n in COUNTS:
        rows = rows_of(n, d, dtype)
        assert_same(kernels.mean(rows), twins.mean(rows), n)


@given(any_rows())
def test_mean_of_anything(rows: Rows) -> None:
    assert_same(kernels.mean(rows), twins.mean(rows))


@every_type
@pytest.mark.parametrize("d", [2, 7, 65, 2049])
def test_mean_is_the_one_of_numpy(d: int, dtype: type) -> None:
    """But for a single column, which NumPy adds in pairs."""
    rows = ordinary(100, d, dtype)
    assert_same(kernels.mean(rows), rows.mean(axis=0))


@every_type
@every_kind
@every_dimension
def test_sign_sum_is_exact(rows_of: Maker, d: int, dtype: type) -> None:
    for n in COUNTS:
        model, *rows = rows_of(n + 1, d, dtype)
        assert_same(kernels.sign_sum(model, np.array(rows)), twins.sign_sum(model, np.array(rows)), n)


@given(any_rows())
def test_sign_sum_of_anything(rows: Rows) -> None:
    assert_same(kernels.sign_sum(rows[0], rows), twins.sign_sum(rows[0], rows))


@every_type
def test_sign_sum_by_hand(dtype: type) -> None:
    """Columns: 1 over 0 and -inf, under inf; ties of zeros; ties of infinities; NaN on either side."""
    inf, nan = np.inf, np.nan
    model: Vector = np.array([1, 0.0, inf, nan, 5], dtype)
    rows: Rows = np.array([[0, -0.0, inf, 0, nan], [-inf, 0.0, -inf, inf, 4], [inf, -1, 3e38, nan, nan]], dtype)
    assert kernels.sign_sum(model, rows).tolist() == [1, 1, 2, 0, 1]


@every_type
@every_dimension
def test_combination_is_the_product_of_weights_and_rows(d: int, dtype: type) -> None:
    """n products and sums, and weights rounded to the rows' type: n + 2 roundings of at most eps each."""
    for n in COUNTS:
        rows, weights = ordinary(n, d, dtype), ordinary(1, n, np.float64)[0]
        weights[1::3] = 0
        exact = weights.astype(np.longdouble) @ rows.astype(np.longdouble)
        result = kernels.combination(weights, rows)
        assert (result.dtype, result.shape) == (np.dtype(dtype), (d,))
        wrong = (n + 2) * np.finfo(dtype).eps * (np.abs(weights) @ np.abs(rows.astype(np.float64)))
        assert (np.abs(result - exact) <= wrong).all(), n


@every_type
def test_combination_of_whole_numbers_is_exact(dtype: type) -> None:
    generator = np.random.default_rng(2)
    for n in [*COUNTS, 50]:
        rows, weights = generator.integers(-9, 10, (n, 2049)), generator.integers(-3, 4, n)
        result = kernels.combination(weights.astype(np.float64), rows.astype(dtype))
        assert_same(result + 0, (weights @ rows).astype(dtype), n)


@every_type
@every_dimension
def test_combination_never_reads_a_row_without_weight(d: int, dtype: type) -> None:
    rows, weights = ordinary(9, d, dtype), np.array([0.5, 0, 0, 0.25, 0, 0.25, 0, 0, 0])
    clean = kernels.combination(weights, rows)
    rows[weights == 0] = hostile(6, d, dtype)
    rows[1] = np.nan
    assert_same(kernels.combination(weights, rows), clean)
    assert_same(kernels.combination(weights[[0, 3, 5]], rows[[0, 3, 5]]), clean)


@every_type
def test_combination_passes_on_what_is_no_number(dtype: type) -> None:
    """Columns: NaN; infinities of one sign and of both; the largest numbers; the smallest; negative zeros."""
    inf, nan, limits = np.inf, np.nan, np.finfo(dtype)
    small = 4 * float(limits.smallest_subnormal)
    rows: Rows = np.array(
        [[nan, inf, inf, limits.max, small, -0.0], [1, 1, -inf, limits.max, small, -0.0], [1, 1, 1, 0, 0, -0.0]], dtype
    )
    expected = [nan, inf, nan, limits.max, small, 0]
    np.testing.assert_array_equal(kernels.combination(np.array([0.5, 0.5, 1.0]), rows), np.array(expected, dtype))


def test_combination_of_nothing_is_nothing() -> None:
    assert_same(kernels.combination(np.zeros(3), np.full((3, 5), np.nan)), np.zeros(5))


@every_type
@pytest.mark.parametrize("d", [1, 70, 1023, 1024, 1025, 3001])
def test_mixtures_are_combinations_to_the_bit(d: int, dtype: type) -> None:
    """Weights of 0 among the others, none at all, and a row of NaN that has none anywhere."""
    rows, weights = ordinary(7, d, dtype), np.random.default_rng(1).normal(size=(5, 7))
    weights[1, [0, 3, 6]], weights[2], rows[4] = 0, 0, np.nan
    weights[:, 4] = 0
    expected = np.array([kernels.combination(each, rows) for each in weights])
    found = kernels.mixtures(weights, rows)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
    assert not found[2].any()


def test_mixtures_need_a_weight_for_every_row() -> None:
    with pytest.raises(InvalidInput, match=r"weights must be one per row, \(3,\); got \(2,\)"):
        kernels.mixtures(np.ones((4, 2)), np.ones((3, 5)))
