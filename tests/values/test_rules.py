"""Aggregation rules on rows small enough to work out by hand."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from holdfast.aggregators import CenteredClipping, GeometricMedian, Krum, Mean, Median, MultiKrum, TrimmedMean
from holdfast.aggregators.geometric_median import Solution
from holdfast.typing import Messages, Rows, Vector


def column(*values: float) -> Rows:
    return np.array(values, dtype=np.float64)[:, np.newaxis]


def solved(rows: Rows, **options: Any) -> Solution:
    return GeometricMedian(**options).solve(rows)


def test_mean() -> None:
    """(1 + 2 + 6) / 3 = 3 and (0 - 4 + 1) / 3 = -1."""
    assert Mean()(np.array([[1.0, 0.0], [2.0, -4.0], [6.0, 1.0]])).tolist() == [3, -1]


def test_median_of_an_odd_number() -> None:
    """Sorted: 1 2 6 and -4 0 1."""
    assert Median()(np.array([[1.0, 0.0], [6.0, -4.0], [2.0, 1.0]])).tolist() == [2, 0]


def test_median_of_an_even_number() -> None:
    """Sorted: 1 2 6 9, the middle (2 + 6) / 2 = 4."""
    assert Median()(column(9, 1, 6, 2)).tolist() == [4]


@pytest.mark.parametrize(
    ("lie", "expected"), [(np.nan, 3), (np.inf, 3), (-np.inf, 1)], ids=["NaN is +infinity", "+infinity", "-infinity"]
)
def test_median_with_a_lie(lie: float, expected: float) -> None:
    """Of 1 3 -1 7 and a lie: sorted -1 1 3 7 lie, or lie -1 1 3 7."""
    assert Median()(column(1, lie, 3, -1, 7)).tolist() == [expected]


def test_trimmed_mean() -> None:
    """Sorted: -50 1 2 6 9 99. Without one at each end (1 + 2 + 6 + 9) / 4 = 4.5, without two (2 + 6) / 2 = 4."""
    rows = column(9, -50, 1, 99, 6, 2)
    assert TrimmedMean(trim=1)(rows).tolist() == [4.5]
    assert TrimmedMean(trim=2)(rows).tolist() == [4]
    assert TrimmedMean(trim=0)(rows).tolist() == [67 / 6]


def test_trimmed_mean_counts_nan_as_infinity() -> None:
    """Sorted: -inf 1 2 6 NaN; (1 + 2 + 6) / 3 = 3."""
    assert TrimmedMean(trim=1)(column(6, np.nan, 1, -np.inf, 2)).tolist() == [3]


def test_krum_adds_squared_distances_to_n_q_2_neighbours() -> None:
    """Rows 0 1 6 9 13, q = 1, so 2 neighbours each. The two other readings would choose otherwise.

    row   squared, 2 neighbours   distances, 2   squared, 3
      0      1 + 36 = 37             1 + 6 = 7      1 + 36 + 81 = 118
      1      1 + 25 = 26             1 + 5 = 6 <    1 + 25 + 64 = 90
      6      9 + 25 = 34             3 + 5 = 8      9 + 25 + 36 = 70 <
      9      9 + 16 = 25 <           3 + 4 = 7      9 + 16 + 64 = 89
     13     16 + 49 = 65             4 + 7 = 11    16 + 49 + 144 = 209
    """
    rows = column(0, 1, 6, 9, 13)
    assert Krum(byzantine=1)(rows).tolist() == [9]
    assert Krum(byzantine=0)(rows).tolist() == [6]


def test_krum_in_the_plane() -> None:
    """Rows a b c d, q = 1, so one neighbour each: |a - b|^2 = 25, |b - c|^2 = 2, |c - d|^2 = 10; b and c tie."""
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [4.0, 5.0], [5.0, 8.0]])
    assert Krum(byzantine=1)(rows).tolist() == [3, 4]
    assert Krum(byzantine=1)(rows[::-1]).tolist() == [4, 5]


def test_krum_never_chooses_rows_without_numbers() -> None:
    """Told q = 2, each has one neighbour; three honest rows 0 3 7 are left: 9, 9 and 16, of which the first."""
    rows = np.vstack([np.full((1, 1), np.nan), column(0, 3, 7), np.full((1, 1), np.inf)])
    assert Krum(byzantine=2)(rows).tolist() == [0]


@pytest.mark.parametrize(("selected", "expected"), [(1, 9), (2, 5), (3, 16 / 3), (4, 4), (None, 4)])
def test_multi_krum_averages_the_best_scores(selected: int | None, expected: float) -> None:
    """Rows 0 1 6 9 13, q = 1, with the scores 37 26 34 25 65 above: in their order 9 1 6 0 13.

    (9 + 1) / 2 = 5, (9 + 1 + 6) / 3 = 16 / 3, (9 + 1 + 6 + 0) / 4 = 4; by default n - q = 4 of them.
    """
    rows = column(0, 1, 6, 9, 13)
    assert MultiKrum(byzantine=1, selected=selected)(rows).tolist() == pytest.approx([expected])


def test_multi_krum_of_tied_rows_takes_the_first() -> None:
    """Rows 0 2 8 10, q = 1, one neighbour each: all score 4. 0 + 2 of the first two, (0 + 2 + 8) / 3 of three."""
    assert MultiKrum(byzantine=1, selected=2)(column(0, 2, 8, 10)).tolist() == [1]
    assert MultiKrum(byzantine=1)(column(0, 2, 8, 10)).tolist() == pytest.approx([10 / 3])


def test_multi_krum_leaves_out_rows_without_numbers() -> None:
    """Told q = 2, it averages n - q = 3 rows, the finite ones: (0 + 3 + 7) / 3."""
    assert MultiKrum(byzantine=2)(column(np.nan, 0, 3, 7, np.inf)).tolist() == pytest.approx([10 / 3])


def rounds(rule: CenteredClipping, *messages: Rows) -> list[list[float]]:
    """The results of these rounds, one after the other."""
    state, results = rule.init(messages[0][0]), []
    for round, rows in enumerate(messages):
        vector, state = rule.step(state, Messages(rows, np.arange(1, len(rows) + 1), round))
        results.append(vector.tolist())
    return results


def test_centred_clipping_shortens_what_is_long() -> None:
    """From 0 with radius 5: (3, 4) has length 5 and stays, (6, 8) has 10 and is halved; the mean is (3, 4).

    From there the differences are (0, 0) and (3, 4), neither too long: (3, 4) + (1.5, 2) = (4.5, 6).
    """
    rows = np.array([[3.0, 4.0], [6.0, 8.0]])
    assert CenteredClipping(radius=5)(rows).tolist() == pytest.approx([3, 4])
    assert CenteredClipping(radius=5, steps=2)(rows).tolist() == pytest.approx([4.5, 6])
    once_each = np.array(rounds(CenteredClipping(radius=5), rows, rows))
    np.testing.assert_allclose(once_each, np.array([[3, 4], [4.5, 6]]))


def test_centred_clipping_goes_on_from_its_last_result() -> None:
    """Radius 1. Round 1 from 0: 4 and 0.5 add (1 + 0.5) / 2 = 0.75. Round 2 from 0.75: 1 and -9 add

    (0.25 - 1) / 2 = -0.375, so 0.375. Bare rows know no round 1: (1 - 1) / 2 = 0.
    """
    rule = CenteredClipping(radius=1)
    assert rounds(rule, column(4, 0.5), column(1, -9)) == [[0.75], [0.375]]
    assert rule(column(1, -9)).tolist() == pytest.approx([0])


def test_centred_clipping_starts_at_zero_wherever_the_model_is() -> None:
    assert CenteredClipping().init(np.full(2, 7.0, np.float32)).vector.tolist() == [0, 0]


@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf, 1e200])
def test_rows_without_numbers_add_nothing_to_centred_clipping_but_count(lie: float) -> None:
    """(4 + 2 + 0) / 3 = 2, not (4 + 2) / 2 = 3; then from 2: (2 + 0 + 0) / 3, so 8 / 3."""
    rows = column(4, lie, 2)
    assert CenteredClipping(radius=10)(rows).tolist() == [2]
    assert CenteredClipping(radius=10, steps=2)(rows).tolist() == pytest.approx([8 / 3])


def test_far_rows_pull_centred_clipping_by_their_radius() -> None:
    """1e100 and -3 with radius 2 pull by 2 and -2: (2 - 2 + 1) / 3."""
    assert CenteredClipping(radius=2)(column(1e100, -3, 1)).tolist() == pytest.approx([1 / 3])


def test_centred_clipping_unclipped_is_the_mean() -> None:
    """(1 + 2 + 6) / 3 = 3, and there it stays."""
    assert CenteredClipping()(column(1, 2, 6)).tolist() == pytest.approx([3])
    assert CenteredClipping(steps=50)(column(1, 2, 6)).tolist() == pytest.approx([3])


def test_geometric_median_of_an_equilateral_triangle_is_its_centre() -> None:
    rows = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, np.sqrt(3)]])
    assert solved(rows).reason == "converged"
    np.testing.assert_allclose(GeometricMedian()(rows), [1, np.sqrt(3) / 3], atol=1e-6)


def test_geometric_median_of_half_a_square() -> None:
    """Corners (0, 0), (1, 0), (0, 1): by symmetry (t, t) with the least sqrt(2) t + 2 sqrt((1 - t)^2 + t^2).

    Its derivative vanishes where 2 (1 - 2t) = sqrt(2) sqrt((1 - t)^2 + t^2); squared, 6 t^2 - 6 t + 1 = 0;
    so t = (3 - sqrt(3)) / 6.
    """
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(GeometricMedian()(rows), [(3 - np.sqrt(3)) / 6] * 2, atol=1e-6)


def test_geometric_median_at_a_row() -> None:
    """At (0, 0) the unit vectors to (5, 0) and (-3, 4) add up to (1 - 0.6, 0.8), of length sqrt(0.8) < 1."""
    rows = np.array([[5.0, 0.0], [0.0, 0.0], [-3.0, 4.0]])
    assert (solved(rows).iterations, solved(rows).reason) == (0, "at a row")
    assert GeometricMedian()(rows).tolist() == [0, 0]


def test_geometric_median_just_not_at_a_row() -> None:
    """At (0, 0) the unit vectors to (5, 0) and (3, 4) add up to (1.6, 0.8), longer than 1: the row is left."""
    rows = np.array([[5.0, 0.0], [0.0, 0.0], [3.0, 4.0]])
    assert solved(rows).reason == "converged"
    assert GeometricMedian()(rows).min() > 0.1


def test_geometric_median_stays_with_the_majority() -> None:
    """Three of five rows agree; the pull of the two others has length 2 at most, less than 3."""
    rows = np.array([[1.0, 2.0], [9.0, 9.0], [1.0, 2.0], [-7.0, 0.0], [1.0, 2.0]])
    assert solved(rows).reason == "at a row"
    assert GeometricMedian()(rows).tolist() == [1, 2]


def test_geometric_median_of_nothing_but_rows_without_numbers_is_the_first() -> None:
    solution = solved(column(np.nan, np.inf, -np.inf))
    assert (solution.weights.tolist(), solution.iterations, solution.reason) == ([1, 0, 0], 0, "at a row")


def test_nearly_half_of_the_rows_at_one_place_do_not_draw_the_others_there() -> None:
    """Of 0 0 0 1 100 200 300 the middle one. 0 is the central row, and 1, not 0, is how far more than half are."""
    np.testing.assert_allclose(GeometricMedian()(column(0, 0, 0, 1, 100, 200, 300)), [1], atol=1e-6)


def test_geometric_median_that_may_not_go_on() -> None:
    rows = np.random.default_rng(0).normal(size=(9, 3))
    assert (solved(rows, iterations=1).iterations, solved(rows, iterations=1).reason) == (1, "iteration limit")
    assert 1 < solved(rows).iterations < 1000


def least_sum(rows: Rows) -> Vector:
    """The geometric median by a general solver."""

    def cost(z: Vector) -> tuple[float, Vector]:
        away = z - rows
        lengths = np.sqrt((away * away).sum(axis=1))
        return float(lengths.sum()), (away / lengths[:, np.newaxis]).sum(axis=0)

    found = minimize(cost, np.median(rows, axis=0), jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.asarray(found.x)


@pytest.mark.parametrize(("n", "d"), [(5, 2), (6, 3), (20, 10), (21, 4), (50, 30)])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_geometric_median_is_the_least_sum(n: int, d: int, offset: float) -> None:
    rows = np.random.default_rng(n).normal(size=(n, d)) * np.arange(1, d + 1)
    np.testing.assert_allclose(GeometricMedian(tolerance=1e-10)(rows + offset), offset + least_sum(rows), atol=2e-6)


@pytest.mark.parametrize("far", [1.0, 1e2, 1e4, 1e6])
def test_liars_cannot_make_the_geometric_median_stop_early(far: float) -> None:
    """What it says to be converged is, on the scale of the honest rows, however far away the others are."""
    rows: NDArray[np.float64] = np.random.default_rng(4).normal(size=(20, 5))
    rows[:8] *= far
    np.testing.assert_allclose(GeometricMedian()(rows), least_sum(rows), atol=1e-5)


@pytest.mark.parametrize("sizes", [(1e3, 1e19), (1e41, 1e115, 1e124), (1e10, 1e20, 1e30, 1e40), (3e8, 1e12)])
@pytest.mark.parametrize("spread", [1.0, 1e-16, 0.0])
def test_far_rows_of_different_sizes_pull_by_their_direction_alone(sizes: tuple[float, ...], spread: float) -> None:
    """Beside the farthest, float64 cannot hold the others' sums of distances. Drawn nearer, they pull alike."""
    rows: Rows = spread * np.random.default_rng(6).normal(size=(9, 3))
    directions = np.random.default_rng(7).normal(size=(len(sizes), 3))
    far = np.array(sizes)[:, np.newaxis] * directions
    near = 1e5 * spread * directions
    result, expected = (GeometricMedian()(np.vstack([away, rows])) for away in (far, near))
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4 * spread)


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("crowd", [1, 2, 4])
def test_rows_that_nearly_agree_do_not_hold_the_geometric_median_back(gap: float, crowd: int) -> None:
    """Beside the best row, the pull of its neighbours makes steps as short as the gaps between them."""
    rows: Rows = np.random.default_rng(5).normal(size=(20, 6)) + np.linspace(0, 1, 6)
    best = rows[np.linalg.norm(rows[:, np.newaxis] - rows, axis=2).sum(axis=1).argmin()]
    rows[:crowd] = best + gap * rows[:crowd]
    found, least = (np.linalg.norm(rows - point, axis=1).sum() for point in (GeometricMedian()(rows), least_sum(rows)))
    assert found <= least * (1 + 1e-8)


@pytest.mark.parametrize("lie", [1e3, 1e12, np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("places", [range(8), 8 * [0]], ids=["apart", "together"])
def test_liars_who_know_the_sampled_coordinates_gain_nothing(lie: float, dtype: type, places: Any) -> None:
    """They are the most central rows there, and far away elsewhere. Moved into their sight, the lies are the same."""
    rows: Rows = np.random.default_rng(1).normal(size=(20, 2000))
    rows[:8] = rows[8:].mean(axis=0)
    rows[range(8), places] = lie  # the middles of the four quarters are sampled; these are moved to the first
    result, in_sight = (
        GeometricMedian()(rows.astype(dtype)),
        GeometricMedian()(np.roll(rows, 250, axis=1).astype(dtype)),
    )
    assert np.isfinite(result).all()
    np.testing.assert_allclose(np.roll(result, 250), in_sight, rtol=1e-5, atol=1e-5)
