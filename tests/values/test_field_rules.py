"""The rules of the field on rows small enough to work out by hand."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from holdfast.aggregators import (
    Bulyan,
    Caf,
    Cge,
    ClippedMean,
    DnC,
    Faba,
    MajorityVote,
    MeaMed,
    MinimumDiameter,
    NormalisedMean,
    Phocas,
    Smea,
    distances,
)
from holdfast.aggregators.distances import centred_products
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Constant, Ridge, Setting
from holdfast.streams import Stream
from holdfast.typing import Messages, Rows


def column(*values: float) -> Rows:
    return np.array(values, dtype=np.float64)[:, np.newaxis]


def test_bulyan_lets_krum_choose_again_and_again() -> None:
    """Rows 0 1 2 3 4 7 20, q = 1: 5 choices by 4, 3, 2, 1 and 1 neighbours. Squared distances added up:

    left            0           1           2           3           4           7            chosen
    0 1 2 3 4 7 20  1+4+9+16    1+1+4+9     1+1+4+4=10  1+1+4+9     1+4+9+9     9+16+25+36   2: 10
    0 1 3 4 7 20    1+9+16=26   1+4+9=14    -           1+4+9=14    1+9+9       9+16+36      3: 14+16, not 14+36
    0 1 4 7 20      1+16        1+9=10      -           -           9+9         9+36         1: 10
    0 4 7 20        16          -           -           -           9           9            4: 9+16, not 9+49
    0 7 20          49          -           -           -           -           49           7: 49+169, not 49+400

    So 2 3 1 4 7. Their median is 3; the 5 - 2 nearest to it are 2 3 4. Krum's five best scores at once would be those
    of 2 1 3 4 0, and give 2.
    """
    rows = column(0, 1, 2, 3, 4, 7, 20)
    assert Bulyan(byzantine=1).choose(rows).tolist() == [2, 3, 1, 4, 5]
    assert Bulyan(byzantine=1)(rows).tolist() == pytest.approx([3])
    assert Bulyan(byzantine=1)(rows[::-1]).tolist() == pytest.approx([3])


def test_bulyan_around_the_middle_of_an_even_number() -> None:
    """Of 8 rows 6 are chosen: while two of the six near ones are left, each has a neighbour, and the last is tied.

    The median of 0 1 4 10 11 13 is 7, from which they are 7 6 3 3 4 6 away: the nearest four, of 1 and 13 the lower,
    are 1 4 10 11, and their mean is 26 / 4. Around the upper middle, 10, it were 38 / 4.
    """
    rows = column(0, 1, 4, 10, 11, 13, -1000, 1000)
    assert sorted(Bulyan(byzantine=1).choose(rows)) == [0, 1, 2, 3, 4, 5]
    assert Bulyan(byzantine=1)(rows).tolist() == pytest.approx([26 / 4])


def chosen_plainly(rows: Rows, q: int) -> list[int]:
    """Krum again and again by loops; a score is a list, by more and more neighbours, so that the next decides a tie."""
    left = list(range(len(rows)))
    chosen: list[int] = []
    while len(chosen) < len(rows) - 2 * q:
        scores = []
        for i in left:
            away = sorted(float(((rows[i] - rows[j]) ** 2).sum()) for j in left if j != i)
            scores.append([sum(away[:count]) for count in range(max(len(left) - q - 2, 1), len(left))])
        chosen.append(left.pop(scores.index(min(scores))))
    return chosen


@pytest.mark.parametrize("q", [0, 1, 2, 3])
def test_bulyan_chooses_as_two_loops_do(q: int) -> None:
    """Whole numbers, so that sums are exact and ties are ties."""
    for seed in range(10):
        rows = np.random.default_rng(seed).integers(-20, 20, (4 * q + 3 + seed % 4, 2)).astype(np.float64)
        assert Bulyan(byzantine=q).choose(rows).tolist() == chosen_plainly(rows, q)


def test_bulyan_with_nobody_to_fear_is_the_mean() -> None:
    """(1 + 2 + 6) / 3 = 3."""
    assert Bulyan(byzantine=0)(column(1, 2, 6)).tolist() == pytest.approx([3])


def test_bulyan_needs_four_honest_rows_for_a_lie() -> None:
    with pytest.raises(InvalidInput, match="needs n >= 4 \\* byzantine \\+ 3; got n=6, byzantine=1"):
        Bulyan(byzantine=1)(np.ones((6, 2)))
    assert Bulyan(byzantine=1)(np.ones((7, 2))).tolist() == [1, 1]


def test_minimum_diameter() -> None:
    """Of 0 1 5 6 7 the three nearest to each other are 5 6 7."""
    assert MinimumDiameter(byzantine=2)(column(0, 5, 1, 7, 6)).tolist() == pytest.approx([6])


def test_the_least_diameter_is_not_the_least_sum_of_squares() -> None:
    """Of 0 0 10 15.5 21: 0 0 10 has the diameter 10 and the sum 200, 10 15.5 21 has 11 and 30.25 + 30.25 + 121."""
    assert MinimumDiameter(byzantine=2)(column(0, 0, 10, 15.5, 21)).tolist() == pytest.approx([10 / 3])


def test_of_sets_with_the_same_diameter_the_one_with_the_least_sum() -> None:
    """Rows a b c d; 3 of 4. abc and abd have the diameter |a - b| = 4, the others have |c - d| = 5.

    abc: 16 + 13 + 13 = 42; abd: 16 + 8 + 8 = 32.
    """
    rows = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0], [2.0, -2.0]])
    assert MinimumDiameter(byzantine=1)(rows).tolist() == pytest.approx([2, -2 / 3])


def test_of_sets_that_are_alike_the_first() -> None:
    """Of 0 2 4 6 both 0 2 4 and 2 4 6 have the diameter 4 and the sum 4 + 4 + 16."""
    assert MinimumDiameter(byzantine=1)(column(0, 2, 4, 6)).tolist() == pytest.approx([2])


@pytest.mark.parametrize("rule", [MinimumDiameter, Smea])
def test_too_many_subsets_are_refused(rule: Any) -> None:
    """40 over 10 is 847,660,528; 22 over 10 is 646,646."""
    with pytest.raises(InvalidInput) as refusal:
        rule(byzantine=10)(np.ones((40, 2)))
    assert str(refusal.value) == (
        f"{rule.__name__} needs at most 2,000,000 subsets of n - byzantine rows to search; "
        "got 8.48e+08 with n=40, byzantine=10"
    )
    np.testing.assert_allclose(rule(byzantine=10)(np.ones((22, 2))), 1)


@pytest.mark.parametrize("rule", [MinimumDiameter, MeaMed, Phocas, Smea, Caf, Cge, Faba])
def test_half_of_the_rows_are_too_many_to_fear(rule: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        rule(byzantine=3)(np.ones((6, 2)))
    assert str(refusal.value) == f"{rule.__name__} needs n > 2 * byzantine; got n=6, byzantine=3"
    np.testing.assert_allclose(rule(byzantine=3)(np.ones((7, 2))), 1)


def test_mean_around_median() -> None:
    """Of 0 1 5 7 100 the median is 5; nearest to it are 5, 7 at 2, 1 at 4: 13 / 3."""
    assert MeaMed(byzantine=2)(column(7, 100, 0, 1, 5)).tolist() == pytest.approx([13 / 3])


def test_mean_around_the_middle_of_an_even_number() -> None:
    """Of 0 3 9 10 the median is 6; all but 0 are nearer than 6: 22 / 3. Around the lower middle, 3, it were 4."""
    assert MeaMed(byzantine=1)(column(0, 3, 9, 10)).tolist() == pytest.approx([22 / 3])


def test_of_values_as_near_to_the_median_the_lower() -> None:
    """Of 0 2 4 both 0 and 4 are at 2 from the median: (0 + 2) / 2."""
    assert MeaMed(byzantine=1)(column(4, 2, 0)).tolist() == [1]


@pytest.mark.parametrize(("lie", "expected"), [(np.nan, 2.5), (np.inf, 2.5), (-np.inf, 2.5)])
def test_mean_around_median_with_a_lie(lie: float, expected: float) -> None:
    """Of -1 1 3 7 and a lie the median is 3, or 1 with -infinity; the other four are nearest: 10 / 4."""
    assert MeaMed(byzantine=1)(column(1, lie, 3, -1, 7)).tolist() == [expected]


def test_mean_around_trimmed_mean() -> None:
    """Of 0 4 4 8 8.5 the trimmed mean is 16 / 3; the farthest from it is 0, and the others add up to 24.5.

    The farthest from the median, 4, were 8.5, and the others' mean 4. Of 0 3 4 5 9 the trimmed mean is 4, the farthest
    from it is 9, and the others' mean 3. With 9 among the trimmed the mean were 5.25, and the farthest 0.
    """
    assert Phocas(byzantine=1)(column(9, 3, 5, 0, 4)).tolist() == pytest.approx([3])
    rows = column(8.5, 4, 0, 8, 4)
    assert Phocas(byzantine=1)(rows).tolist() == pytest.approx([24.5 / 4])
    assert MeaMed(byzantine=1)(rows).tolist() == pytest.approx([4])


def test_smallest_largest_eigenvalue() -> None:
    """A C D lie on a line, 1.1 apart: their scatter has the eigenvalues 2 * 1.1^2 = 2.42 and 0.

    A E F is equilateral with side 2: 2^2 / 2 = 2 twice, so less, though its sum, 4, is more. Any other three
    contain a row at either side of A, and have more than 4 along the line between these.
    """
    A, C, D, E, F = [0, 0], [1.1, 0], [2.2, 0], [-np.sqrt(3), 1], [-np.sqrt(3), -1]
    rows = np.array([C, E, A, D, F])
    np.testing.assert_allclose(Smea(byzantine=2)(rows), [-2 / np.sqrt(3), 0], atol=1e-15)


def test_a_filter_takes_weight_along_the_largest_variance() -> None:
    """Rows 0 1 2 3 99, q = 1. Mean 21, so tau = 441 400 361 324 6084, and the variance is 7610 / 5 = 1522.

    c = (5643 5684 5723 5760 0) / 6084, together 3.749 > 5 - 2: again. Their mean is
    (5684 + 2 * 5723 + 3 * 5760) / 22810 = 34410 / 22810, the variance about 1.25. Now 0 is farthest and loses
    all, 3 nearly all, and 1.69 <= 3 is left. The least variance was that of the second mean.
    """
    assert Caf(byzantine=1)(column(0, 1, 2, 3, 99)).tolist() == pytest.approx([34410 / 22810])


def test_a_filter_returns_to_the_least_variance_it_saw() -> None:
    """Rows (3, 1) (-3, 1) (0, 2.8) (0, -2.8) and three zeros, q = 2. The mean is (0, 2/7); the variances are

    18 / 7 = 2.57 along x and (2 + 15.68 - 4 / 7) / 7 = 2.44 along y; so the first two rows lose all, tau = 9.
    5 > 7 - 4 are left with the variance 15.68 / 5 = 3.14 along y. The next two lose all, and 3 are too few.
    """
    rows = np.array([[3, 1], [-3, 1], [0, 2.8], [0, -2.8], [0, 0], [0, 0], [0, 0]])
    assert Caf(byzantine=2)(rows).tolist() == pytest.approx([0, 2 / 7])


def test_inner_products_about_a_central_row() -> None:
    """Row 2, at (1, 1), has two rows at a distance of 1, and 3 are more than half of 5; the square of 1e151 is too far.

    From there the others are (0, 1), (3, 4), (1, 0), in the order of their lengths, the first of equals first.
    """
    rows = np.array([[1.0, 2.0], [4.0, 5.0], [1.0, 1.0], [0.0, 1e151], [2.0, 1.0]])
    products, near = centred_products(rows)
    assert near.tolist() == [2, 0, 4, 1]
    np.testing.assert_allclose(products, [[0, 0, 0, 0], [0, 1, 0, 4], [0, 0, 1, 3], [0, 4, 3, 25]], atol=1e-12)


def test_rows_are_infinitely_far_from_a_square_of_1e300_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.9e150 squared is 0.81e300, 1.2e150 squared 1.44e300. No square is 1e300 itself: 3^2 + 4^2 stands for it."""
    assert centred_products(column(0, 0, 0, 1.2e150, 0.9e150))[1].tolist() == [0, 1, 2, 4]
    monkeypatch.setattr(distances, "FARTHEST", 25.0)
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [0.0, 4.9]])
    assert centred_products(rows)[1].tolist() == [0, 1, 2, 4]


def test_a_filter_that_fears_nobody_is_the_mean() -> None:
    """(1 + 2 + 6) / 3 = 3; a peer's returns nothing."""
    assert Caf(byzantine=0)(column(1, 2, 6)).tolist() == pytest.approx([3])


def test_a_filter_with_an_infinite_row() -> None:
    """0 1 5 start with weight: their mean is 2. tau = 4 1 9 leaves 5/9 + 8/9 <= 4 - 2: that was the only mean."""
    assert Caf(byzantine=1)(column(0, 1, 5, np.inf)).tolist() == pytest.approx([2])


def test_shortest_rows() -> None:
    """Lengths 5 1 2 13: without the last ((3 + 0 - 2) / 3, (4 + 1 + 0) / 3)."""
    rows = np.array([[3.0, 4.0], [0.0, 1.0], [-2.0, 0.0], [5.0, 12.0]])
    assert Cge(byzantine=1)(rows).tolist() == pytest.approx([1 / 3, 5 / 3])


def test_of_rows_as_long_as_each_other_the_first() -> None:
    """1 2 and the first of 3 and -3: (1 + 2 + 3) / 3."""
    assert Cge(byzantine=1)(column(1, 3, 2, -3)).tolist() == pytest.approx([2])
    assert Cge(byzantine=1)(column(1, -3, 2, 3)).tolist() == pytest.approx([0])


def test_the_farthest_from_the_mean_of_the_rest_is_dropped() -> None:
    """Of 0 1 2 8 40 the mean is 10.2: without 40. Of 0 1 2 8 it is 2.75: without 8. (0 + 1 + 2) / 3 = 1.

    The two farthest from 10.2 at once were 40 and 0, and left 11 / 3.
    """
    assert Faba(byzantine=2)(column(8, 0, 40, 1, 2)).tolist() == pytest.approx([1])


def test_of_rows_as_far_the_first_is_dropped() -> None:
    """Of 0 1 5 6 both 0 and 6 are 3 from the mean."""
    assert Faba(byzantine=1)(column(0, 1, 5, 6)).tolist() == pytest.approx([4])
    assert Faba(byzantine=1)(column(6, 1, 5, 0)).tolist() == pytest.approx([2])


def test_rows_without_numbers_are_dropped_first_however_far_others_are() -> None:
    """NaN and infinity go, 1e150 stays: (0 + 0 + 1e150) / 3."""
    rows = column(0, np.nan, 0, 1e150, np.inf)
    assert Faba(byzantine=2)(rows).tolist() == pytest.approx([1e150 / 3])


def test_rows_infinitely_far_from_as_many_are_compared_by_the_others() -> None:
    """Four rows at -1e154 and three at 1e154, infinitely far from each other: the three have more that are so far.

    Among the three, 0, 1e-10 and 3e-10 aside, the squares add up to 1 + 9, 1 + 4 and 9 + 4 times 1e-20: the last goes.
    """
    rows = np.array([*4 * [[-1e154, 0.0]], [1e154, 0.0], [1e154, 1e-10], [1e154, 3e-10]])
    assert Faba(byzantine=1).weights(rows).tolist() == pytest.approx([*6 * [1 / 6], 0])


def test_clipped_mean() -> None:
    """(3, 4) has length 5 and stays, (6, 8) has 10 and is halved, infinity adds nothing but counts."""
    rows = np.array([[3.0, 4.0], [6.0, 8.0], [np.inf, 0.0]])
    assert ClippedMean(radius=5)(rows).tolist() == pytest.approx([2, 8 / 3])
    assert ClippedMean(radius=10)(rows).tolist() == pytest.approx([3, 4])


def test_normalised_mean() -> None:
    """(3, 4) / 5 = (.6, .8), (0, -7) / 7 = (0, -1); nothing of zeros and NaN, which count: divided by 4."""
    rows = np.array([[3.0, 4.0], [0.0, -7.0], [0.0, 0.0], [np.nan, 1.0]])
    assert NormalisedMean()(rows).tolist() == pytest.approx([0.15, -0.05])


@pytest.mark.parametrize("size", [1e-45, 1e-38, 1e-20, 1e20, 3e38])
def test_directions_of_float32_of_any_size_are_at_most_one_long(size: float) -> None:
    rows: Rows = np.full((2, 1), size, np.float32)
    expected = 1 if size > 2.0**-126 else np.float32(size) * 2.0**126
    assert NormalisedMean()(rows).tolist() == pytest.approx([expected], rel=1e-3)


def test_majority_vote() -> None:
    """Votes by column: + + -, - 0 and NaN, + - 0, of infinities + - -, 0 0 0, - - -."""
    rows = np.array(
        [
            [0.1, -3.0, 2.0, np.inf, 0.0, -7.0],
            [9.0, 0.0, -5.0, -np.inf, -0.0, -8.0],
            [-50.0, np.nan, 0.0, -1e-300, 0.0, -9.0],
        ]
    )
    assert MajorityVote()(rows).tolist() == [1, -1, 0, -1, 0, -1]
    assert MajorityVote()(rows[2:]).tolist() == [-1, 0, 0, -1, 0, -1]


@pytest.mark.parametrize("q", [1, 3, 5])
def test_lies_do_not_turn_a_vote_that_differs_by_more(q: int) -> None:
    """With q + 1 votes more for one side than for the other, q lies leave one."""
    honest = column(*[1.0] * (q + 3), *[-1.0] * 2)
    assert MajorityVote()(np.vstack([honest, column(*[-np.inf] * q)])).tolist() == [1]
    assert MajorityVote()(np.vstack([honest[1:], column(*[-np.inf] * q)])).tolist() == [0]


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, 25.5), (1.0, 1.0), (2.0, 1.5)])
def test_dnc_drops_a_fraction_of_those_it_fears(fraction: float, expected: float) -> None:
    """Of 0 1 2 99 the mean is 25.5, the squares about it 650.25 600.25 552.25 5402.25.

    Half of one row is none: 25.5. One: (0 + 1 + 2) / 3. Two: (1 + 2) / 2.
    """
    assert DnC(byzantine=1, fraction=fraction)(column(0, 1, 2, 99)).tolist() == pytest.approx([expected])


def test_dnc_must_keep_a_row() -> None:
    with pytest.raises(InvalidInput, match="needs n > fraction \\* byzantine; got n=4, fraction \\* byzantine=4"):
        DnC(byzantine=2, fraction=2)(np.ones((4, 1)))


def test_dnc_sees_only_the_farthest_of_lies_in_different_directions() -> None:
    """Of two lies at 1e6 and 1e3 along two axes, the second hides: after 1e6 it is (-1, 0) that stands out.

    What is left adds up to (1 + 0 + 0 + 0 + 0, 0 + 1 - 1 + 0 + 1000).
    """
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 0.0], [1e6, 0.0], [0.0, 1e3]])
    assert DnC(byzantine=2, coordinates=2)(rows).tolist() == pytest.approx([0.2, 200])


def dnc_plainly(rows: Rows, dropped: int) -> Rows:
    """Algorithm 2 of Shejwalkar and Houmansadr with all coordinates drawn: by SVD, without our products."""
    away = rows - rows.mean(axis=0)
    v = np.linalg.svd(away, full_matrices=False)[2][0]
    kept: Rows = rows[np.argsort((away @ v) ** 2)[: len(rows) - dropped]]
    return kept


@pytest.mark.parametrize("lies", [4, 8])
def test_one_direction_lets_some_large_lies_through_that_several_draws_do_not(lies: int) -> None:
    """All coordinates in every draw: the definition itself, not our way to compute it, keeps a lie now and then."""
    through = 0
    for seed in range(40):
        rows = np.random.default_rng(seed).normal(size=(20, 650))
        rows[20 - lies :] *= 1e4
        kept = dnc_plainly(rows, dropped=lies)
        result = DnC(byzantine=lies, coordinates=650)(rows)
        np.testing.assert_allclose(result, kept.mean(axis=0), rtol=1e-6, atol=1e-6)
        through += bool(np.linalg.norm(result) > 1e3)
        assert np.abs(DnC(byzantine=lies)(rows)).max() < 4, "a mean of honest rows, maybe not of all"
    assert through > 0


def test_dnc_draws_half_of_the_coordinates_and_no_more_than_ten_thousand() -> None:
    sizes = {d: DnC(byzantine=1).draw_size(d) for d in (1, 2, 3, 9, 19_999, 20_001, 10**6)}
    assert sizes == {1: 1, 2: 1, 3: 1, 9: 4, 19_999: 9_999, 20_001: 10_000, 10**6: 10_000}
    assert DnC(byzantine=1, coordinates=7).draw_size(3) == 7


def messages(rows: Rows, round: int, seed: int) -> Messages:
    return Messages(rows, np.arange(1, len(rows) + 1), round, seed)


def test_dnc_averages_the_rows_that_no_draw_dropped() -> None:
    """Of (9, 0), (0, 9), (0, 0) the first stands out in column 0, the second in column 1.

    One of two columns a draw: after several, both were drawn, and the third row is left.
    """
    rows = np.array([[9.0, 0.0], [0.0, 9.0], [0.0, 0.0]])
    rule = DnC(byzantine=1, coordinates=1, draws=20)
    assert {int(rule.choose(messages(rows, 4, 2), draw, 2)[0]) for draw in range(20)} == {0, 1}
    assert rule.draw(messages(rows, 4, 2)).tolist() == [0, 0]


@pytest.mark.parametrize("round", range(6))
def test_where_every_row_was_dropped_those_that_were_so_least_often_are_left(round: int) -> None:
    """Of 9 I each row stands out in one column, so it is dropped as often as its column is drawn."""
    rows, draws = 9 * np.eye(3), 10
    rule, drawn = DnC(byzantine=1, coordinates=1, draws=draws), messages(9 * np.eye(3), round, 0)
    times = np.bincount([rule.choose(drawn, draw, 3)[0] for draw in range(draws)], minlength=3)
    np.testing.assert_allclose(rule.draw(drawn), rows[times == times.min()].mean(axis=0))


def test_a_master_tells_dnc_seed_and_round() -> None:
    """It descends from 0 by 3 times the rule's answer in that round of that seed; bare rows are round 0 of seed 0."""
    rule, rows = DnC(byzantine=1, coordinates=1, draws=1), 9 * np.eye(3)
    program = Aggregated(rule).program(Setting(Constant(1.0), Ridge(0.0)))
    answers = set()
    for round, seed in product(range(4), range(4)):
        after = program.step(program.init(np.zeros(3)), messages(rows, round, seed))
        np.testing.assert_allclose(after.model, -3 * rule.draw(messages(rows, round, seed)))
        answers.add(after.model.tobytes())
    assert len(answers) == 3
    np.testing.assert_array_equal(rule(rows), rule.draw(messages(rows, 0, 0)))


def test_dnc_draws_coordinates_by_seed_round_and_draw_alone() -> None:
    """The numbers below d of the stream `dnc`, one after the other, without those that came before."""
    rule, d = DnC(byzantine=1, coordinates=5), 12
    for seed, round, draw in [(0, 0, 0), (0, 0, 1), (0, 3, 0), (7, 0, 0)]:
        words = Stream(seed, "dnc").words(np.array([draw]), round, 1000)[0]
        numbers = dict.fromkeys((int(word) >> 32) * d >> 32 for word in words)
        assert rule.choose(messages(np.ones((2, d)), round, seed), draw, d).tolist() == sorted(list(numbers)[:5])
    assert rule.choose(messages(np.ones((2, 5)), 0, 0), 3, 5).tolist() == [0, 1, 2, 3, 4]
    assert len(rule.choose(messages(np.ones((2, 6)), 0, 0), 3, 6)) == 5


def test_dnc_drops_a_row_whose_infinity_it_did_not_draw() -> None:
    """One of 40 columns is drawn; the second row has NaN in all others but one."""
    rows = np.zeros((4, 40))
    rule = DnC(byzantine=1, coordinates=1, draws=1)
    drawn = rule.choose(messages(rows, 0, 0), 0, 40)[0]
    rows[1] = np.nan
    rows[1, drawn], rows[2, drawn] = 0, 3
    np.testing.assert_array_equal(rule(rows), np.where(np.arange(40) == drawn, 1, 0))


def test_a_row_that_one_draw_finds_infinitely_far_is_worse_than_one_that_all_others_drop() -> None:
    """One of two columns a draw, five draws, of which one, in this round, has column 1.

    There the second and third row are 1e151 away from the first, whose square counts as infinite: 5 for each, and 1 for
    the third, the last of them, which is dropped. In column 0 the first stands out: four times 1. So it is left.
    """
    rows, rule = np.array([[9.0, 0.0], [0.0, 1e151], [0.0, -1e151]]), DnC(byzantine=1, coordinates=1)
    drawn = {
        round: [int(rule.choose(messages(rows, round, 0), draw, 2)[0]) for draw in range(5)] for round in range(50)
    }
    once = next(round for round, columns in drawn.items() if sum(columns) == 1)
    assert rule.draw(messages(rows, once, 0)).tolist() == [9, 0]
