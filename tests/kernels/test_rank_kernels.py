"""Means of ranks: networks that are written out, up to 32 rows, and those that are tabled, beyond."""

from typing import Literal

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import DTYPES, Maker, hostile, ordinary, specials

from holdfast import kernels
from holdfast.aggregators import Median, TrimmedMean
from holdfast.typing import Rows

every_type = pytest.mark.parametrize("dtype", DTYPES)
every_kind = pytest.mark.parametrize("rows_of", [ordinary, hostile])

WRITTEN_OUT = [
    (1, range(1)),
    (2, range(2)),
    (3, range(1, 2)),
    (5, range(1, 4)),
    (20, range(9, 11)),
    (32, range(31, 32)),
]
TABLED = [(33, range(16, 17)), (33, range(33)), (34, range(1)), (40, range(39, 40)), (50, range(8, 42))]
every_network = pytest.mark.parametrize(("n", "wanted"), WRITTEN_OUT + TABLED)

DIMENSIONS = [1, 7, 63, 64, 65, 127, 128, 129, 2047, 2049]


def assert_ranks(rows: Rows, wanted: range) -> None:
    """To the bit, but for the sign of a zero: -0.0 and 0.0 are tied."""
    result = kernels.mean_of_ranks(rows, wanted)
    assert (result.dtype, result.shape) == (rows.dtype, rows.shape[1:])
    np.testing.assert_array_equal(result, twins.mean_of_ranks(rows, wanted))


def test_both_ways_are_taken() -> None:
    assert max(n for n, _ in WRITTEN_OUT) == kernels.WRITTEN_OUT == min(n for n, _ in TABLED) - 1


@every_type
@every_kind
@every_network
def test_mean_of_ranks_to_the_bit(rows_of: Maker, n: int, wanted: range, dtype: type) -> None:
    for d in DIMENSIONS:
        assert_ranks(rows_of(n, d, dtype), wanted)


@every_type
@pytest.mark.parametrize(("n", "wanted"), [WRITTEN_OUT[3], TABLED[0]])
def test_many_columns(n: int, wanted: range, dtype: type) -> None:
    assert_ranks(hostile(n, 65537, dtype), wanted)


@every_network
@given(st.data())
def test_mean_of_ranks_of_anything(n: int, wanted: range, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(DTYPES))
    width: Literal[32, 64] = 32 if dtype is np.float32 else 64
    entries = st.sampled_from(specials(dtype)) | st.floats(width=width)
    assert_ranks(data.draw(arrays(dtype, (n, 2), elements=entries)), wanted)


@every_type
def test_ties_of_zeros_keep_their_signs(dtype: type) -> None:
    """Sorting moves values and makes none: of two zeros of each sign the sum is 0, of negative ones alone -0."""
    rows: Rows = np.array([[0.0, -0.0], [-0.0, -0.0]], dtype)
    assert np.signbit(kernels.mean_of_ranks(rows, range(2))).tolist() == [False, True]


@every_type
def test_a_single_row_is_its_own_median(dtype: type) -> None:
    rows: Rows = np.array([[3, -0.0, np.inf, -np.inf, np.nan]], dtype)
    assert kernels.mean_of_ranks(rows, range(1)).tolist() == [3, 0, np.inf, -np.inf, np.inf]


@every_type
@pytest.mark.parametrize("n", [5, 20, 33, 50])
def test_rules_against_numpy(n: int, dtype: type) -> None:
    rows = ordinary(n, 65, dtype)
    if n != 20:
        kept = np.sort(rows, axis=0)[n // 5 : n - n // 5]
        np.testing.assert_allclose(TrimmedMean(trim=n // 5)(rows), kept.mean(axis=0), rtol=2e-6, atol=1e-7)
    if n != 5:
        np.testing.assert_array_equal(Median()(rows), np.median(rows, axis=0))
