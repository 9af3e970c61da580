"""Proposition 1 and the other laws of penalties, and what ours make of entries that are no numbers."""

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import partial
from math import inf, nan
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

import holdfast.methods.penalties as penalties_module
from holdfast.errors import InvalidInput
from holdfast.methods.penalties import L1, L2, LInf, Lp, Penalty, penalty
from holdfast.testing import check_penalty

NORMS = [1.0, 1.01, 1.5, 2.0, 3.0, 3.5, 17.3, 50.0, inf]
MAKERS: list[Callable[[float], Penalty]] = [L1, L2, LInf, *(partial(Lp, p) for p in NORMS if p < inf)]
every_maker = pytest.mark.parametrize("make", MAKERS, ids=[str(make(1.0)) for make in MAKERS])
DTYPES = [np.float32, np.float64]

penalties = st.builds(lambda make, weight: make(weight), st.sampled_from(MAKERS), st.sampled_from([1.0, 0.07, 4.0]))
penalties |= st.builds(penalty, st.floats(1, 60), st.just(1.0))


def rows_of(*special: float, finite: bool = True) -> st.SearchStrategy[NDArray[Any]]:
    """Vectors of either type whose entries are of any size, often tied, often special."""

    def of(dtype: type) -> st.SearchStrategy[NDArray[Any]]:
        limits = np.finfo(dtype)
        ties = [0.0, -0.0, 1.0, -1.0, float(limits.max), float(-limits.max), float(limits.smallest_subnormal), *special]
        width: Literal[32, 64] = 32 if dtype is np.float32 else 64
        entries = st.sampled_from(ties) | st.floats(-3, 3, width=width)
        entries |= st.floats(allow_nan=not finite, allow_infinity=not finite, width=width)
        return arrays(dtype, st.integers(1, 9), elements=entries)

    return st.sampled_from(DTYPES).flatmap(of)


@every_maker
def test_every_penalty_keeps_the_laws(make: Callable[[float], Penalty]) -> None:
    check_penalty(make(0.07), examples=25)


def test_every_class_of_penalty_is_here() -> None:
    parts = [member for name, member in vars(penalties_module).items() if inspect.isclass(member)]
    ours = {member for member in parts if issubclass(member, Penalty) and not inspect.isabstract(member)}
    assert {type(make(1.0)) for make in MAKERS} == {member for member in ours if is_dataclass(member)}


@given(penalties, st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.data())
def test_only_the_direction_of_a_row_matters(rule: Penalty, whole: list[int], data: st.DataObject) -> None:
    """Times 2^k, from where 1 is the smallest number there is to where 4 is nearly the largest, nothing changes."""
    for dtype, exponents in ((np.float32, (-149, 125)), (np.float64, (-1074, 1021))):
        x: NDArray[Any] = np.array(whole, dtype)
        small_or_large = np.ldexp(x, data.draw(st.sampled_from(exponents) | st.integers(*exponents)))
        np.testing.assert_array_equal(rule.subgradient(small_or_large), rule.subgradient(x))


@given(penalties, rows_of(nan, nan, inf, finite=False))
def test_nan_counts_as_0(rule: Penalty, x: NDArray[Any]) -> None:
    np.testing.assert_array_equal(rule.subgradient(x), rule.subgradient(np.where(np.isnan(x), 0, x).astype(x.dtype)))


@every_maker
@given(x=arrays(np.float64, st.integers(1, 6), elements=st.sampled_from([inf, -inf, 2.0, -3.0, 0.0])))
def test_an_infinite_entry_is_the_limit_of_larger_ones(make: Callable[[float], Penalty], x: NDArray[Any]) -> None:
    rule = make(1.0)
    large = np.where(np.isinf(x), np.sign(x) * 1e300, x)
    # at p = 1.01 the way there is slow: (3 / 1e300)^0.01 = 0.00101
    np.testing.assert_allclose(rule.subgradient(x), rule.subgradient(large), atol=2e-3)


@given(st.integers(1, 8), st.integers(0, 8), st.sampled_from(DTYPES), st.floats(1e-30, 1e30))
def test_tied_maxima_share_equally(tied: int, smaller: int, dtype: type, size: float) -> None:
    signs = np.where(np.arange(tied) % 2, -1, 1)
    x: NDArray[Any] = np.concatenate([signs * size, np.full(smaller, size * 0.99)]).astype(dtype)
    expected = np.concatenate([signs / tied, np.zeros(smaller)])
    np.testing.assert_allclose(LInf(1.0).subgradient(x), expected, rtol=1e-6)


def test_the_type_of_the_rows_decides_even_if_the_weight_is_a_numpy_number() -> None:
    rows = np.ones((2, 3), np.float32)
    assert {make(np.float64(0.5)).subgradient(rows).dtype.name for make in MAKERS} == {"float32"}


@pytest.mark.parametrize("p", [1, 2, 3.5, inf])
def test_weight_0_pulls_nowhere(p: float) -> None:
    assert not penalty(p, 0.0).subgradient(np.array([1.0, -2.0, inf, nan])).any()


def test_a_norm_has_its_own_class() -> None:
    assert [penalty(p, 0.5) for p in (1, 2, inf, 3)] == [L1(0.5), L2(0.5), LInf(0.5), Lp(3, 0.5)]
    assert [rule.p for rule in (L1(0.5), L2(0.5), LInf(0.5), Lp(3, 0.5))] == [1, 2, inf, 3]


@pytest.mark.parametrize("weight", [-0.1, nan, inf, -inf])
@every_maker
def test_weights_that_cannot_be(make: Callable[[float], Penalty], weight: float) -> None:
    with pytest.raises(InvalidInput, match=f"at least 0 and finite; got {weight}"):
        make(weight)


@pytest.mark.parametrize("p", [0.99, 0.0, -1.0, -inf, nan])
def test_norms_that_cannot_be(p: float) -> None:
    with pytest.raises(InvalidInput, match=f"at least 1 .* got {p}"):
        penalty(p, 1.0)
    with pytest.raises(InvalidInput, match=f"p >= 1; got p={p}"):
        Lp(p, 1.0)


@pytest.mark.parametrize(("p", "limit"), [(1.0, L1), (inf, LInf)])
def test_lp_ends_in_its_limits(p: float, limit: type[L1 | LInf]) -> None:
    rows = np.array([[inf, 2.0, -1.0], [3.0, -3.0, np.nan]])
    np.testing.assert_array_equal(Lp(p, 0.5).subgradient(rows), limit(0.5).subgradient(rows))
