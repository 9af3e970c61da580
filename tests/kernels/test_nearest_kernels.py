"""Means of the values nearest a centre: written out for many numbers, by a table for few."""

from typing import Literal

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import DTYPES, Maker, hostile, ordinary, specials

from holdfast import kernels
from holdfast.typing import Rows

every_type = pytest.mark.parametrize("dtype", DTYPES)
every_kind = pytest.mark.parametrize("rows_of", [ordinary, hostile])

CHOICES = [
    (1, range(1), 1),
    (2, range(2), 1),
    (5, range(2, 3), 3),
    (6, range(2, 4), 6),
    (12, range(5, 7), 4),  # what Bulyan asks for: fewer than half
    (20, range(8, 12), 12),
    (33, range(16, 17), 20),
]
every_choice = pytest.mark.parametrize(("n", "middle", "nearest"), CHOICES)


def assert_nearest(rows: Rows, middle: range, nearest: int) -> None:
    """To the bit, but for the sign of a zero."""
    result = kernels.mean_nearest(rows, np.arange(len(rows)), middle, nearest)
    assert (result.dtype, result.shape) == (rows.dtype, rows.shape[1:])
    np.testing.assert_array_equal(result, twins.mean_nearest(rows, middle, nearest))


@every_type
@every_kind
@every_choice
def test_by_a_table(rows_of: Maker, n: int, middle: range, nearest: int, dtype: type) -> None:
    for d in (1, 127, 128, 129, 300):
        assert_nearest(rows_of(n, d, dtype), middle, nearest)


@every_type
@pytest.mark.parametrize(("n", "middle", "nearest"), [CHOICES[2], CHOICES[4], CHOICES[5]])
def test_written_out(n: int, middle: range, nearest: int, dtype: type) -> None:
    """The same bits from so many columns that the network is written out, and from a few of them by the table."""
    rows = hostile(n, kernels.WORTH_WRITING // n + 2, dtype)
    result = kernels.mean_nearest(rows, np.arange(n), middle, nearest)
    some = rows[:, -300:]
    assert some.size < kernels.WORTH_WRITING <= rows.size
    np.testing.assert_array_equal(result[-300:], kernels.mean_nearest(some, np.arange(n), middle, nearest))
    np.testing.assert_array_equal(result[-300:], twins.mean_nearest(some, middle, nearest))


@every_choice
@given(st.data())
def test_of_anything(n: int, middle: range, nearest: int, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(DTYPES))
    width: Literal[32, 64] = 32 if dtype is np.float32 else 64
    entries = st.sampled_from(specials(dtype)) | st.floats(width=width)
    assert_nearest(data.draw(arrays(dtype, (n, 2), elements=entries)), middle, nearest)


@every_type
@every_choice
def test_these_are_the_nearest(n: int, middle: range, nearest: int, dtype: type) -> None:
    rows = ordinary(n, 200, dtype)
    centre = np.sort(rows, axis=0)[middle].mean(axis=0)
    order = np.argsort(np.abs(rows - centre), axis=0)[:nearest]
    if nearest == 1 and len(middle) == 2:
        return  # both are as near
    expected = np.take_along_axis(rows, order, axis=0).mean(axis=0)
    result = kernels.mean_nearest(rows, np.arange(n), middle, nearest)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@every_type
@pytest.mark.parametrize("d", [50, 70_000])
def test_rows_that_are_not_chosen_are_not_read(dtype: type, d: int) -> None:
    rows = ordinary(9, d, dtype)
    chosen = np.array([7, 0, 3, 4, 8])
    rows[[1, 2, 5, 6]] = np.nan
    result = kernels.mean_nearest(rows, chosen, range(2, 3), 3)
    np.testing.assert_array_equal(result, kernels.mean_nearest(rows[np.sort(chosen)], np.arange(5), range(2, 3), 3))


@every_type
@every_kind
@pytest.mark.parametrize("d", [1, 511, 512, 513, 5000])
def test_lengths(rows_of: Maker, d: int, dtype: type) -> None:
    rows = rows_of(7, d, dtype)
    rows[2] = ordinary(7, d, dtype)[2]
    np.testing.assert_allclose(kernels.lengths(rows), twins.lengths(rows), rtol=1e-13)
