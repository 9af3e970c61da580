"""The laws of aggregation rules, over every member of the registry."""

from dataclasses import fields
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.aggregators import (
    REGISTRY,
    CoordinateWise,
    GeometricMedian,
    Krum,
    Mean,
    Median,
    TrimmedMean,
    Weighted,
    squared_distances,
)
from holdfast.errors import InvalidInput
from holdfast.typing import Aggregate, Rows

Rule = CoordinateWise | Weighted

LIARS = 3


def rule_against(name: str, liars: int) -> Rule:
    """Build a rule, telling it the number of liars if it wants to know."""
    member = cast(Any, REGISTRY[name])
    told = {field.name: liars for field in fields(member) if field.name in ("byzantine", "trim")}
    return cast(Rule, member(**told))


RULES = [rule_against(name, LIARS) for name in REGISTRY]
every_rule = pytest.mark.parametrize("rule", RULES, ids=list(REGISTRY))
every_type = pytest.mark.parametrize("dtype", [np.float32, np.float64])
seeds = st.integers(0, 2**32 - 1)


def random_rows(seed: int = 0, n: int = 11, d: int = 4) -> Rows:
    return np.random.default_rng(seed).normal(size=(n, d))


def plainly(rows: Rows) -> NDArray[np.float64]:
    """Squared distances by two loops in extended precision."""
    wide = rows.astype(np.longdouble)
    return np.array([[float(((one - other) ** 2).sum()) for other in wide] for one in wide])


@every_rule
@every_type
def test_type_and_shape(rule: Rule, dtype: type) -> None:
    result = rule(random_rows().astype(dtype))
    assert (result.shape, result.dtype) == ((4,), np.dtype(dtype))


@every_rule
@given(seeds, st.floats(-100, 100), st.sampled_from([-2.5, -1.0, 0.3, 1e6, 1e-6]))
def test_moving_and_scaling_the_rows_moves_and_scales_the_result(
    rule: Rule, seed: int, shift: float, factor: float
) -> None:
    rows = random_rows(seed)
    shifts = shift * np.arange(1, 5)
    expected = factor * rule(rows) + shifts
    np.testing.assert_allclose(rule(factor * rows + shifts), expected, rtol=1e-9, atol=1e-6 * abs(factor))


@every_rule
@given(seeds, st.permutations(range(11)))
def test_the_order_of_the_rows_does_not_matter(rule: Rule, seed: int, order: list[int]) -> None:
    rows = random_rows(seed)
    np.testing.assert_allclose(rule(rows[order]), rule(rows), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", [rule for rule in RULES if isinstance(rule, CoordinateWise)], ids=str)
@given(seeds, st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_coordinatewise_rules_look_at_one_coordinate_at_a_time(rule: Rule, seed: int, chosen: list[int]) -> None:
    rows = random_rows(seed)
    np.testing.assert_allclose(rule(rows[:, chosen]), rule(rows)[chosen], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("rule", [rule for rule in RULES if isinstance(rule, Weighted)], ids=str)
@given(seeds, st.floats(-10, 10))
def test_weighted_rules_do_not_see_rotations(rule: Weighted, seed: int, shift: float) -> None:
    rows = random_rows(seed)
    turn, _ = np.linalg.qr(random_rows(seed + 1, n=4))
    np.testing.assert_allclose(rule(rows @ turn + shift), rule(rows) @ turn + shift, rtol=1e-9, atol=1e-6)


@every_rule
@every_type
@pytest.mark.parametrize("n", [7, 11])
def test_identical_rows_give_that_row(rule: Rule, dtype: type, n: int) -> None:
    row: Rows = np.array([0.1, -1e-30, 3e7, 0.0], dtype)
    np.testing.assert_allclose(rule(np.tile(row, (n, 1))), row, rtol=1e-6)


@every_rule
@given(seeds)
def test_the_result_lies_between_the_rows(rule: Rule, seed: int) -> None:
    rows = random_rows(seed)
    assert (rule(rows) >= rows.min(axis=0) - 1e-12).all()
    assert (rule(rows) <= rows.max(axis=0) + 1e-12).all()


@pytest.mark.parametrize("rule", [rule for rule in RULES if isinstance(rule, Weighted)], ids=str)
@given(seeds)
def test_weights_are_shares_and_none_goes_to_rows_without_numbers(rule: Weighted, seed: int) -> None:
    rows = random_rows(seed)
    rows[2, 1], rows[5, 0], rows[9, 3] = np.nan, np.inf, -np.inf
    weights = rule.weights(rows)
    np.testing.assert_allclose(weights.sum(), 1)
    assert (weights >= 0).all()
    assert not weights[[2, 5, 9]].any()


@every_rule
@every_type
def test_input_of_any_layout_is_read_and_left_alone(rule: Rule, dtype: type) -> None:
    plain: Rows = random_rows(d=6).astype(dtype)[::-1, ::2].copy()
    wide: Rows = np.zeros((22, 9), dtype)
    wide[::2, ::3] = plain
    layouts = [
        np.asfortranarray(plain),
        plain[::-1].copy()[::-1],
        wide[::2, ::3],
        plain.astype(plain.dtype.newbyteorder()),
    ]
    for rows in layouts:
        rows.setflags(write=False)
        before = rows.tobytes()
        np.testing.assert_allclose(rule(rows), rule(plain), rtol=1e-5)
        assert rows.tobytes() == before


@every_rule
def test_whole_numbers_and_lists_are_read_as_float64(rule: Rule) -> None:
    rows = (10 * random_rows()).round()
    for given_as in (rows.astype(np.int64), rows.tolist(), rows.astype(np.float16)):
        result = rule(cast(Any, given_as))
        assert result.dtype == np.float64
        np.testing.assert_allclose(result, rule(rows))


@pytest.mark.parametrize("rule", [Mean(), Median(), TrimmedMean(0), GeometricMedian()], ids=str)
@every_type
def test_one_row_of_one_number(rule: Rule, dtype: type) -> None:
    assert rule(np.array([[2.5]], dtype)).tolist() == [2.5]


@every_rule
def test_many_rows_of_one_number(rule: Rule) -> None:
    rows = np.arange(11.0)[:, np.newaxis] ** 2
    assert rule(rows).shape == (1,)
    assert 0 <= rule(rows)[0] <= 100


@every_rule
@pytest.mark.parametrize(
    "rows",
    [1.0, [], [1.0, 2.0], np.ones((2, 2, 2)), np.ones((0, 3)), np.ones((3, 0)), np.ones((7, 2), complex),
     [["a", "b"]] * 7, np.full((7, 2), None), [[1.0, 2.0], [3.0]]],
    ids=["number", "nothing", "vector", "cube", "no rows", "no columns", "complex", "texts", "objects", "ragged"],
)  # fmt: skip
def test_what_is_no_matrix_of_numbers_is_refused_in_one_line(rule: Rule, rows: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        rule(rows)
    assert str(rule) in str(refusal.value)
    assert "; got " in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(InvalidInput, match="n >= byzantine \\+ 3; got n=5, byzantine=3"):
        Krum(byzantine=3)(np.ones((5, 2)))
    with pytest.raises(InvalidInput, match="n > 2 \\* trim; got n=6, trim=3"):
        TrimmedMean(trim=3)(np.ones((6, 2)))
    assert Krum(byzantine=3)(np.ones((6, 2))).tolist() == TrimmedMean(trim=3)(np.ones((7, 2))).tolist() == [1, 1]


def test_parameters_that_cannot_be() -> None:
    for make, arguments in (
        (Krum, {"byzantine": -1}),
        (TrimmedMean, {"trim": -1}),
        (GeometricMedian, {"tolerance": 0.0}),
        (GeometricMedian, {"tolerance": np.nan}),
        (GeometricMedian, {"iterations": 0}),
    ):
        with pytest.raises(InvalidInput, match="got"):
            cast(Any, make)(**arguments)


HOSTILE = [np.nan, np.inf, -np.inf, 1e38, -1e38, 3.4e38, 1e154, -1e154, 1e308, 1e-45, 5e-324, -0.0, 0.0, 1.0, 1e3, -1e6]


@st.composite
def attacked(draw: st.DrawFn, spare: int) -> tuple[Rows, NDArray[np.bool_]]:
    """Rows of which q lie, anywhere among them and in any way, and which these are; n >= 2q + 1 + spare."""
    liars = draw(st.integers(1, 4))
    n = 2 * liars + 1 + spare + draw(st.integers(0, 3))
    d = draw(st.integers(1, 4))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    rows = random_rows(draw(seeds), n, d) * draw(st.sampled_from([1e-3, 1.0, 1e3])) + draw(st.sampled_from([0, 5.0]))
    entries = st.sampled_from(HOSTILE) | st.floats(-50, 50)
    row = st.lists(entries, min_size=d, max_size=d) | entries.map(lambda entry: [entry] * d)
    lies = np.isin(np.arange(n), draw(st.permutations(range(n)))[:liars])
    rows[lies] = draw(st.lists(row, min_size=liars, max_size=liars))
    with np.errstate(over="ignore"):
        return rows.astype(dtype), lies


def rounding(rows: Rows) -> float:
    return float(8 * len(rows) * np.finfo(rows.dtype).eps * np.abs(rows).max())


@given(attacked(spare=0))
def test_median_and_trimmed_mean_stay_between_honest_values(case: tuple[Rows, NDArray[np.bool_]]) -> None:
    rows, lies = case
    honest = rows[~lies]
    rules: list[Aggregate] = [Median(), TrimmedMean(trim=int(lies.sum()))]
    for rule in rules:
        result = rule(rows)
        assert (result >= honest.min(axis=0) - rounding(honest)).all()
        assert (result <= honest.max(axis=0) + rounding(honest)).all()


@given(attacked(spare=2))
def test_krum_chooses_a_row_within_reach_of_an_honest_one(case: tuple[Rows, NDArray[np.bool_]]) -> None:
    """An honest row scores at most (n - q - 2) times the honest diameter squared.

    The chosen row scores no more, and one of its neighbours is honest.
    """
    rows, lies = case
    honest, neighbours = rows[~lies], len(rows) - lies.sum() - 2
    result = Krum(byzantine=int(lies.sum()))(rows)
    assert (result == rows).all(axis=1).any()
    nearest = np.sqrt(plainly(np.vstack([result, honest]))[0, 1:].min())
    assert nearest <= np.sqrt(neighbours * plainly(honest).max()) * (1 + 1e-6)


@given(attacked(spare=0))
def test_geometric_median_stays_within_its_bound(case: tuple[Rows, NDArray[np.bool_]]) -> None:
    """|result - mean| <= 2 (n - q) / (n - 2q) max_i |v_i - mean|, over honest i (Minsker, 2015, Lemma 2.1)."""
    rows, lies = case
    honest = rows[~lies].astype(np.float64)
    centre = honest.mean(axis=0)
    n, q = len(rows), int(lies.sum())
    reach = 2 * (n - q) / (n - 2 * q) * np.linalg.norm(honest - centre, axis=1).max()
    assert np.linalg.norm(GeometricMedian()(rows) - centre) <= reach + rounding(rows[~lies])


@every_rule
@pytest.mark.parametrize("size", [1e10, 1e38, 9e153, 1.3e154, 1e200, 1e308])
def test_a_lie_of_any_size_raises_no_warning(rule: Rule, size: float) -> None:
    """Around 1e154 squares are still finite while their sums are not."""
    rows = random_rows(n=10, d=1)
    rows[:LIARS] = [[size], [0.9 * size], [-size]]
    assert abs(rule(rows)[0]) < 10 or isinstance(rule, Mean)


@every_rule
@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf])
def test_only_the_mean_lets_one_row_through(rule: Rule, lie: float) -> None:
    rows = random_rows()
    rows[4] = lie
    assert np.isfinite(rule(rows)).all() == (not isinstance(rule, Mean))


@given(seeds, st.sampled_from([np.float32, np.float64]), st.sampled_from([1.0, 1e-15, 1e15]))
def test_squared_distances_are_those_of_two_loops(seed: int, dtype: type, size: float) -> None:
    rows: Rows = (size * random_rows(seed, n=5)).astype(dtype)
    distances = squared_distances(rows)
    assert distances.dtype == np.float64
    np.testing.assert_allclose(distances, plainly(rows), rtol=float(8 * np.finfo(dtype).eps))
    np.testing.assert_array_equal(distances, distances.T)
    assert not np.diag(distances).any()


def test_squared_distances_survive_an_offset_that_a_gramian_does_not() -> None:
    rows = (1e4 + 0.01 * random_rows(n=5, d=20)).astype(np.float32)
    true = plainly(rows)
    np.testing.assert_allclose(squared_distances(rows), true, rtol=1e-6)
    gramian = rows @ rows.T
    by_gramian = np.diag(gramian) + np.diag(gramian)[:, np.newaxis] - 2 * gramian
    assert np.abs(by_gramian - true).max() > 100 * true.max()  # so the case has teeth


def test_krum_sees_through_an_offset() -> None:
    """Steps of 1/256 are exact on an offset of 8192; the middle row of the cluster has the nearest 4 neighbours."""
    steps = np.array([0, 1, 3, 4, 2], np.float32)[:, np.newaxis] * np.ones(300, np.float32) / 256
    rows = np.vstack([8192 + steps, np.full((1, 300), -3e4, np.float32)])
    np.testing.assert_array_equal(Krum(byzantine=0)(rows), rows[4])


def test_rows_without_numbers_are_infinitely_far() -> None:
    rows = np.array([[0.0, 1.0], [np.nan, 0.0], [0.0, np.inf], [0.0, np.inf], [1e200, 0.0]])
    distances = squared_distances(rows)
    off_diagonal = ~np.eye(5, dtype=bool)
    assert (distances[off_diagonal] == np.inf).all()
    assert (np.diag(distances) == 0).all()
