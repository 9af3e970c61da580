"""Squared distances and inner products of all pairs of rows, and Weiszfeld's iteration on them."""

import numpy as np
import pytest
import twins
from twins import DIMENSIONS, DTYPES, ordinary

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.kernels.row_pairs import PIECE, PIECES, SPAN
from holdfast.typing import Distances, Rows, Vector

every_type = pytest.mark.parametrize("dtype", DTYPES)
COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 13]
"""Rows meet two against four: every way in which a tile can reach past the last one."""
TOLERANCE: dict[type, float] = {np.float32: 1e-5, np.float64: 1e-14}
"""Relative to the sum of the terms' sizes: up to 1024 terms are added in the rows' type, then in float64."""


def whole_numbers(n: int, d: int, dtype: type) -> Rows:
    """From -5 to 5: no sum of 1024 products of their differences is rounded, even in float32."""
    return np.random.default_rng((n, d)).integers(-5, 6, (n, d)).astype(dtype)


@every_type
@pytest.mark.parametrize("d", [*DIMENSIONS, 1023, 1025, 2 * SPAN + 3])
def test_pairs_of_whole_numbers_are_exact(d: int, dtype: type) -> None:
    for n in COUNTS if d < 65537 else [1, 6, 9]:
        rows = whole_numbers(n, d, dtype)
        centre = whole_numbers(1, d, dtype)[0]
        wide = rows.astype(np.float64)
        distances = ((wide[:, np.newaxis] - wide) ** 2).sum(axis=2)
        products = (wide - centre) @ (wide - centre).T
        for result, expected in (
            (kernels.squared_distances(rows), distances),
            (kernels.inner_products(rows, centre), products),
        ):
            assert (result.dtype, result.shape) == (np.dtype(np.float64), (n, n))
            np.testing.assert_array_equal(result, expected, err_msg=f"{n} rows")


@every_type
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e15])
def test_pairs_are_right_to_the_tolerance(d: int, dtype: type, size: float) -> None:
    rows: Rows = (size * ordinary(7, d, np.float64)).astype(dtype)
    centre = rows[3] + rows[5]
    distances, products = kernels.squared_distances(rows), kernels.inner_products(rows, centre)
    np.testing.assert_allclose(distances, twins.squared_distances(rows), rtol=TOLERANCE[dtype])
    sizes = np.abs(rows - centre).astype(np.float64)
    wrong = np.abs(products - twins.inner_products(rows, centre))
    # the differences from the centre are rounded, too
    assert (wrong <= (TOLERANCE[dtype] + 4 * np.finfo(dtype).eps) * (sizes @ sizes.T)).all()
    for found in (distances, products):
        np.testing.assert_array_equal(found, found.T)
    assert not np.diag(distances).any()


@every_type
def test_an_offset_costs_distances_nothing(dtype: type) -> None:
    """Steps of 1/256 are exact on 8192 in float32; a Gramian of such rows would have lost them all."""
    steps = whole_numbers(6, 3000, dtype) / 256
    np.testing.assert_array_equal(kernels.squared_distances(8192 + steps), kernels.squared_distances(steps))
    centre: Vector = np.full(3000, 8192, dtype)
    np.testing.assert_array_equal(
        kernels.inner_products(8192 + steps, centre), kernels.inner_products(steps, 0 * centre)
    )


@every_type
@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf, 1e38, "largest"])
@pytest.mark.parametrize("d", [1, 7, 65, 2049])
def test_a_row_that_is_too_large_spoils_its_own_pairs_only(lie: float | str, d: int, dtype: type) -> None:
    rows = whole_numbers(9, d, dtype)
    centre = rows[8]
    clean = kernels.squared_distances(rows), kernels.inner_products(rows, centre)
    rows[2, d // 2] = rows[5, 0] = np.finfo(dtype).max if lie == "largest" else lie
    spoilt = kernels.squared_distances(rows), kernels.inner_products(rows, centre)
    honest = np.delete(np.arange(9), [2, 5])
    for after, before in zip(spoilt, clean, strict=True):
        np.testing.assert_array_equal(after[np.ix_(honest, honest)], before[np.ix_(honest, honest)])
    if not (lie == 1e38 and dtype is np.float64):  # whose square float64 can still hold
        assert not np.isfinite(spoilt[0][np.ix_(np.array([2, 5]), honest)]).any()
        assert not np.isfinite(np.diag(spoilt[1])[[2, 5]]).any()
    else:
        np.testing.assert_allclose(spoilt[0][2, honest], 1e76)


@every_type
def test_equal_rows_of_any_size_are_at_no_distance(dtype: type) -> None:
    limits = np.finfo(dtype)
    for value in (limits.max, limits.smallest_subnormal, -0.0):
        rows: Rows = np.full((5, 65), value, dtype)
        rows[1] += 0
        assert not kernels.squared_distances(rows).any()
        assert not kernels.inner_products(rows, rows[2]).any()


@every_type
@pytest.mark.parametrize("d", [1, 65, 511, 512, 513, 514, 1000, 7850, 70001])
def test_a_sample_is_pieces_from_all_over(d: int, dtype: type) -> None:
    """Exact, and not a column twice: 513 is the first number of which some are left out."""
    rows = whole_numbers(6, d, dtype)
    expected = twins.squared_distances(twins.sampled(rows, PIECES, PIECE))
    np.testing.assert_array_equal(kernels.sampled_distances(rows), expected)


@every_type
def test_what_is_no_number_is_infinitely_far_but_from_itself(dtype: type) -> None:
    rows = whole_numbers(5, 70, dtype)
    rows[1, 3], rows[3, 69], rows[4, 0] = np.nan, np.inf, -np.inf
    np.testing.assert_array_equal(kernels.squared_distances(rows), twins.squared_distances(rows))
    np.testing.assert_array_equal(kernels.sampled_distances(rows), twins.squared_distances(rows))


def test_crowds_are_counted() -> None:
    """Rows 0 1 2 2 9: the squared distances from 1 are 1 0 1 1 64, from 2 they are 4 1 0 0 49; no others are nearer."""
    rows = np.array([[0.0], [1.0], [2.0], [2.0], [9.0]])
    G = (rows - 2) @ (rows - 2).T
    for within, expected in ((0.0, 0), (0.5, 2), (1.0, 2), (1.5, 4), (1e3, 5), (np.nan, 0)):
        assert kernels.largest_crowd(G, within) == expected


def products_of(n: int, d: int) -> Distances:
    rows = ordinary(n, d, np.float64)
    return twins.inner_products(rows, rows[0])


@pytest.mark.parametrize(("n", "d"), [(3, 2), (4, 7), (20, 5), (51, 30)])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-7])
def test_weiszfeld_goes_the_same_way(n: int, d: int, tolerance: float) -> None:
    G, start = products_of(n, d), np.full(n, 1 / n)
    weights, steps = kernels.weiszfeld(G, start, tolerance, 1000)
    expected, plain_steps = twins.weiszfeld(G, start, tolerance, 1000)
    assert steps == plain_steps
    assert steps is not None
    assert 1 < steps < 1000
    np.testing.assert_allclose(weights, expected, rtol=1e-9)
    np.testing.assert_allclose(weights.sum(), 1, rtol=1e-14)


@pytest.mark.parametrize(("n", "d"), [(1, 3), (2, 3), (3, 2), (4, 7), (9, 1), (20, 5), (51, 30)])
@pytest.mark.parametrize("copies", [1, 2])
def test_the_start_is_the_best_row_or_below_it(n: int, d: int, copies: int) -> None:
    rows = np.repeat(ordinary(n, d, np.float64), copies, axis=0)
    G = twins.inner_products(rows, rows[-1])
    weights, about, optimal = kernels.below_every_row(G)
    best = np.linalg.norm(rows[:, np.newaxis] - rows, axis=2).sum(axis=1).argmin()
    np.testing.assert_allclose(about, twins.inner_products(rows, rows[best]), atol=1e-12)
    assert not about[best].any()
    expected, plainly_optimal = twins.below_every_row(G)
    assert optimal == plainly_optimal
    np.testing.assert_allclose(weights @ rows, expected @ rows, rtol=1e-9, atol=1e-12)
    sums = [np.linalg.norm(rows - point, axis=1).sum() for point in (weights @ rows, *rows)]
    assert sums[0] < min(sums[1:]) or optimal


def test_rows_too_far_for_their_distance_leave_the_first() -> None:
    """|v_1 - v_2|^2 = 4e308 overflows, the squares of both are finite."""
    G = 1e308 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    weights, about, optimal = kernels.below_every_row(G)
    np.testing.assert_array_equal(about, G)
    assert (weights.tolist(), optimal) == ([1, 0], True)


def slow(turn: float) -> tuple[Rows, Vector]:
    """The rows (0, 0) and (cos t, +-sin t), t a little less than 60 degrees, and their geometric median.

    By symmetry (x, 0) with the least x + 2 sqrt((cos t - x)^2 + sin^2 t); the derivative vanishes where
    2 (cos t - x) = sqrt((cos t - x)^2 + sin^2 t), so that x = cos t - sin t / sqrt(3).
    """
    t = np.radians(60 - turn)
    x = np.cos(t) - np.sin(t) / np.sqrt(3)
    return np.array([[0.0, 0.0], [np.cos(t), np.sin(t)], [np.cos(t), -np.sin(t)]]), np.array([x, 0])


@pytest.mark.parametrize("turn", [1.0, 0.3, 0.1])
def test_weiszfeld_does_not_creep_near_a_row(turn: float) -> None:
    """His own shrink by 0.97, 0.993 and 0.998 each: after a thousand 1e-15, 2e-7 and 3e-5 are left to go."""
    rows, median = slow(turn)
    G = rows @ rows.T
    start, G, _ = kernels.below_every_row(G)
    weights, steps = kernels.weiszfeld(G, start, 1e-9, 1000)
    assert steps is not None
    assert steps < 20
    assert (weights > 0).all()
    np.testing.assert_allclose(weights @ rows, median, atol=1e-7)
    assert steps == twins.weiszfeld(G, start, 1e-9, 1000)[1]


@pytest.mark.parametrize("limit", range(12))
def test_weights_are_shares_wherever_it_ends(limit: int) -> None:
    """Stretched steps may have negative weights; what is returned never has."""
    rows, _ = slow(0.1)
    weights, _ = kernels.weiszfeld(rows @ rows.T, np.array([0.9, 0.05, 0.05]), 1e-12, limit)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(), 1, rtol=1e-14)


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_weiszfeld_ends_at_the_limit(limit: int) -> None:
    G, start = products_of(9, 3), np.full(9, 1 / 9)
    weights, steps = kernels.weiszfeld(G, start, 1e-12, limit)
    assert steps is None
    np.testing.assert_allclose(weights, twins.weiszfeld(G, start, 1e-12, limit)[0], rtol=1e-12)


def test_weiszfeld_finds_the_centre_of_a_triangle() -> None:
    """Of an equilateral one, from anywhere inside: equal weights."""
    rows = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, np.sqrt(3)]])
    weights, steps = kernels.weiszfeld(rows @ rows.T, np.array([0.6, 0.3, 0.1]), 1e-10, 1000)
    assert steps is not None
    np.testing.assert_allclose(weights, 1 / 3, atol=1e-9)


def test_weiszfeld_at_a_row_does_not_divide_by_zero() -> None:
    """The start is the first of three equal rows: no step leads away from there."""
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [5.0, 0.0]])
    weights, steps = kernels.weiszfeld(rows @ rows.T, np.array([1.0, 0, 0, 0]), 1e-7, 10)
    assert steps is not None
    np.testing.assert_allclose(weights, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-12)


@pytest.mark.parametrize("n", [3, 8])
def test_a_row_that_counts_thrice_is_three_rows(n: int) -> None:
    rows, counts = ordinary(n, 3, np.float64), np.arange(1.0, n + 1) % 3 + 1
    G = twins.inner_products(rows, rows[0])
    copies = np.repeat(np.arange(n), counts.astype(int))
    start, about, optimal = kernels.below_every_row(G, counts)
    several, _, also_optimal = kernels.below_every_row(G[np.ix_(copies, copies)])
    assert optimal == also_optimal
    np.testing.assert_allclose(start @ rows, several @ rows[copies], rtol=1e-9)
    weights, steps = kernels.weiszfeld(about, start, 1e-7, 1000, counts.astype(np.float64))
    apart = start[copies] / counts[copies]
    expected, as_many = kernels.weiszfeld(about[np.ix_(copies, copies)], apart, 1e-7, 1000)
    assert (steps is None) == (as_many is None)
    np.testing.assert_allclose(weights @ rows, expected @ rows[copies], atol=1e-6)


def test_counts_are_one_per_row() -> None:
    with pytest.raises(InvalidInput, match=r"count by one number each, \(3,\); got \(2,\)"):
        kernels.below_every_row(products_of(3, 2), np.ones(2))


@pytest.mark.parametrize("seed", [1063, 1990, 2899, 3822])
def test_stretched_steps_that_lead_up_are_taken_back(seed: int) -> None:
    """Of some thousands of such rows these are ones where it would not end otherwise."""
    random, n = np.random.default_rng(seed), 3 + seed % 6
    rows = random.normal(size=(n, 2)) * 10.0 ** random.normal(size=(n, 1))
    start, G, _ = kernels.below_every_row(rows @ rows.T)
    weights, steps = kernels.weiszfeld(G, start, 1e-9, 1000)
    assert steps is not None
    his = start
    for _ in range(100):
        pull = 1 / np.linalg.norm(his @ rows - rows, axis=1)
        his = pull / pull.sum()
    ours, plain = (np.linalg.norm(point @ rows - rows, axis=1).sum() for point in (weights, his))
    assert ours < plain
