"""Who stands apart, with the arithmetic of every number."""

from math import inf, nan

import numpy as np
import pytest
from numpy.typing import DTypeLike

from holdfast.typing import Rows, Vector
from holdfast.watching import differences
from holdfast.watching import suspicion as forensics
from holdfast.watching.suspicion import (
    SUSPICION_THRESHOLD,
    Disagreement,
    disagreement,
    find_copies,
    suspicion,
)

# sides against 1:          + + - 0              + + - -              - - + 0                 + + - 0
ROWS = [[2.0, 2.0, 0.0, 1.0], [3.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, nan], [2.0, inf, -inf, 1.0]]
ONES = [1.0] * 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_opposite_sides_count_one_and_a_side_against_none_a_half(dtype: DTypeLike) -> None:
    found = differences(np.array(ROWS, dtype), np.array(ONES, dtype))
    expected = [
        [0, 0.5 / 4, 3 / 4, 0],
        [0.5 / 4, 0, 3.5 / 4, 0.5 / 4],
        [3 / 4, 3.5 / 4, 0, 3 / 4],
        [0, 0.5 / 4, 3 / 4, 0],
    ]
    assert found.tolist() == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_disagreement_is_the_median_over_the_others(dtype: DTypeLike) -> None:
    found = disagreement(np.array(ROWS, dtype), np.array(ONES, dtype))
    # medians of (1/8, 3/4, 0), (1/8, 7/8, 1/8), (3/4, 7/8, 3/4), (0, 1/8, 3/4)
    assert found.shares == [0.125, 0.125, 0.75, 0.125]
    assert found.twins == [0, 0, 0, 0]


def test_twins_send_the_same_message() -> None:
    """The first and the last take the same sides, but at other distances; zeros are equal, whatever their sign."""
    rows = np.array([[2.0, 0.0], [3.0, 0.0], [2.0, -0.0], [nan, 5.0], [nan, 5.0]])
    assert disagreement(rows, np.ones(2)).twins == [1, 0, 1, 1, 1]


def test_with_an_even_number_of_others_the_median_is_between_two() -> None:
    found = disagreement(np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]), np.zeros(2))
    assert found.shares == [0.25, 0.5, 0.25]  # of (1/2, 0), (1/2, 1/2), (0, 1/2)


def test_who_takes_no_side_is_nobodys_twin() -> None:
    # as in round 1 of RSA, when everyone is where the master is
    assert disagreement(np.zeros((3, 5)), np.zeros(5)).twins == [0, 0, 0]
    assert disagreement(np.full((2, 5), nan), np.zeros(5)).twins == [0, 0]


def test_one_worker_has_nobody_to_differ_from() -> None:
    found = disagreement(np.ones((1, 3)), np.zeros(3))
    assert (found.shares, found.twins) == ([0.0], [0])


def test_suspicion_is_a_robust_z_score_of_the_mean_over_time() -> None:
    # means 0.20, 0.24, 0.26, 0.70; median 0.25; deviations 0.05, 0.01, 0.01, 0.45 have the median 0.03
    scores = suspicion([[0.20, 0.22, 0.24, 0.60], [0.20, 0.26, 0.28, 0.80]])
    assert scores.tolist() == pytest.approx([z / (1.4826 * 0.03) for z in (-0.05, -0.01, 0.01, 0.45)])
    assert [score > SUSPICION_THRESHOLD for score in scores] == [False, False, False, True]


def test_differences_of_a_few_hundredths_make_nobody_suspect() -> None:
    # no spread at all among most: 0.06 above is 3 of the least deviation, 0.08 is 4
    assert suspicion([[0.2, 0.2, 0.2, 0.26]]).tolist() == pytest.approx([0, 0, 0, 3])
    assert suspicion([[0.2, 0.2, 0.2, 0.28]])[3] > SUSPICION_THRESHOLD


def test_to_agree_more_than_others_is_not_suspect() -> None:
    assert suspicion([[0.5, 0.5, 0.5, 0.0]])[3] == -25


def test_a_copy_has_a_twin_every_time() -> None:
    assert find_copies([[1, 0, 1], [2, 1, 0]]).tolist() == [True, False, False]


def test_copies_are_one_voice_unless_most_workers_send_them() -> None:
    rows = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 2.0]])
    found = disagreement(rows, np.zeros(2))
    # the voices are a a b c d; of a (b, c, d) = (1/2, 1, 1/2), of b (a, c, d) = (1/2, 1/2, 1), of d (a, b, c)
    assert found.shares == [0.5, 0.5, 0.5, 0.5, 0.5]
    assert found.twins == [1, 1, 0, 0, 0]
    # of a a a b c most are a: medians of (0, 0, 1/2, 1), (1/2, 1/2, 1/2, 1/2) and (1, 1, 1, 1/2)
    most = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert disagreement(most, np.zeros(2)).shares == [0.25, 0.25, 0.25, 0.5, 1.0]


def test_copies_count_once_in_the_middle_of_all() -> None:
    shares, twins = [[0.1, 0.1, 0.1, 0.3, 0.34, 0.4, 0.7]], [[2, 2, 2, 0, 0, 0, 0]]
    # of 0.1, 0.3, 0.34, 0.4, 0.7 the median is 0.34; deviations 0.24, 0.04, 0, 0.06, 0.36 have the median 0.06
    expected = [z / (1.4826 * 0.06) for z in (-0.24, -0.24, -0.24, -0.04, 0, 0.06, 0.36)]
    assert suspicion(shares, twins).tolist() == pytest.approx(expected)
    # if each counted, the median would be 0.3
    assert suspicion(shares)[3] == 0


def plain(rows: Rows, neutral: Vector) -> Disagreement:
    """All pairs at once, as the definition has it."""
    n, differing = len(rows), differences(rows, neutral)
    voting = (rows != neutral).any(axis=1)
    twins = [int((row == 0).sum()) - 1 if votes else 0 for row, votes in zip(differing, voting, strict=True)]
    voices = [int((differing[i] == 0).argmax()) if 0 < twins[i] < n // 2 else i for i in range(n)]
    others = [[row[k] for k in sorted({*voices} - {own})] for row, own in zip(differing, voices, strict=True)]
    return Disagreement([float(np.median(row)) for row in others], twins)


def messages(n: int, d: int = 70) -> Rows:
    rows = np.random.default_rng(n).integers(-1, 2, (n, d)).astype(np.float32)
    rows[::7] = rows[0]
    rows[1] = 0
    return rows


@pytest.mark.parametrize("n", [2, 3, 50, 51])
@pytest.mark.parametrize("block", [1, 100, 10**6])
def test_blocks_change_no_bit(n: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forensics, "BLOCK", block)
    rows = messages(n)
    assert disagreement(rows, np.zeros(70, np.float32)) == plain(rows, np.zeros(70, np.float32))


def test_many_are_compared_with_the_same_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forensics, "EXACT", 100)
    monkeypatch.setattr(forensics, "SAMPLE", 60)
    rows, neutral = messages(300), np.zeros(70, np.float32)
    found, exact = disagreement(rows, neutral), plain(rows, neutral)
    assert found.twins == exact.twins, "twins are always counted"
    assert found.shares != exact.shares
    assert np.abs(np.subtract(found.shares, exact.shares)).max() < 0.05
    assert disagreement(rows, neutral) == found
