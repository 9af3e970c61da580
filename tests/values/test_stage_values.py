"""Stages on rows small enough to work out by hand."""

from hashlib import blake2b
from typing import cast

import numpy as np
import pytest

from holdfast.errors import InvalidInput
from holdfast.stages import Arc, Bounding, Bucketing, Clipping, NearestNeighbourMixing, Watch
from holdfast.typing import Messages, Rows

WORD = 2**64


def column(*values: float) -> Rows:
    return np.array(values, dtype=np.float64)[:, np.newaxis]


def test_mixing() -> None:
    """Rows 0 1 5 13, q = 1, so 3 rows each.

    row   distances        nearest      mean
      0    0  1  5 13      0 1 5        6 / 3 = 2
      1    1  0  4 12      1 0 5        2
      5    5  4  0  8      5 1 0        2
     13   13 12  8  0     13 5 1       19 / 3
    """
    assert NearestNeighbourMixing(byzantine=1)(column(0, 1, 5, 13))[:, 0].tolist() == pytest.approx([2, 2, 2, 19 / 3])


def test_mixing_in_the_plane_by_euclidean_distance() -> None:
    """From (0, 0): (3, 4) is at 5, (0, 4.5) at 4.5; by l1 (7 and 4.5) or l-infinity (4 and 4.5) one would differ.

    From (3, 4) the nearest is (0, 4.5) at sqrt(9.25); from (0, 4.5) it is (3, 4).
    """
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 4.5]])
    assert NearestNeighbourMixing(byzantine=1)(rows).tolist() == [[0, 2.25], [1.5, 4.25], [1.5, 4.25]]


def test_mixing_with_nobody_to_fear_is_the_mean() -> None:
    """(1 + 2 + 6) / 3 = 3."""
    assert NearestNeighbourMixing(byzantine=0)(column(1, 2, 6))[:, 0].tolist() == pytest.approx([3, 3, 3])


@pytest.mark.parametrize(("workers", "expected"), [([1, 2, 3], 1.0), ([1, 3, 2], -1.0), ([9, 3, 8], 1.0)])
def test_of_equally_near_rows_the_smaller_number_is_mixed_in(workers: list[int], expected: float) -> None:
    """Row 0 has 2 at either side; with the first in the mean it is 2 / 2 = 1, else -2 / 2 = -1."""
    messages = Messages(column(0, 2, -2), np.array(workers), 0)
    assert cast(Rows, NearestNeighbourMixing(byzantine=1)(messages).rows)[0, 0] == expected


@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf, 1e200])
def test_mixing_leaves_rows_alone_that_are_infinitely_far(lie: float) -> None:
    """The others mix among themselves: (0 + 3 + 6) / 3 = 3."""
    after = NearestNeighbourMixing(byzantine=1)(column(0, lie, 3, 6))[:, 0]
    np.testing.assert_array_equal(after, [3, lie, 3, 3])


def test_mixing_told_too_few_leaves_all_rows_alone() -> None:
    """Told of 1, but 2 are infinite: nobody has 4 rows at a finite distance, and no infinity gets into a mean."""
    rows = column(0, np.inf, 3, 6, -np.inf)
    np.testing.assert_array_equal(NearestNeighbourMixing(byzantine=1)(rows), rows)


def word(seed: int, worker: int, round: int) -> int:
    """The first word of `Stream(seed, "bucketing")` for (worker, round), in whole numbers."""

    def mix(word: int) -> int:
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
        return word ^ (word >> 31)

    key = int.from_bytes(blake2b(f"{seed}/bucketing".encode(), digest_size=8).digest(), "little")
    return mix((mix(mix(key ^ worker) ^ round) + 0x9E3779B97F4A7C15) % WORD)


def test_buckets() -> None:
    """Seed 3, round 2: by their words the workers 1 2 4 7 9 come as 1 4 2 7 9, so the pairs are 1 4, 2 7 and 9.

    Their rows are 10 20 40 70 90: (10 + 40) / 2 = 25, (20 + 70) / 2 = 45, and 90.
    """
    workers = [1, 2, 4, 7, 9]
    assert sorted(workers, key=lambda worker: word(3, worker, 2)) == [1, 4, 2, 7, 9]
    after = Bucketing(size=2)(Messages(column(10, 20, 40, 70, 90), np.array(workers), round=2, seed=3))
    assert cast(Rows, after.rows)[:, 0].tolist() == [25, 45, 90]
    assert after.workers.tolist() == [1, 2, 9]


def test_one_bucket_for_all_is_the_mean_and_one_for_each_the_rows() -> None:
    assert Bucketing(size=9)(column(1, 2, 6)).tolist() == [[3]]
    assert sorted(Bucketing(size=1)(column(1, 2, 6))[:, 0].tolist()) == [1, 2, 6]


def test_bare_rows_are_those_of_workers_from_1_on_in_round_0() -> None:
    rows = np.arange(9.0)[:, np.newaxis]
    order = sorted(range(9), key=lambda row: word(0, row + 1, 0))
    assert Bucketing(size=1)(rows)[:, 0].tolist() == order


def test_a_stage_with_memory_takes_one_row() -> None:
    assert Watch()(column(3)).tolist() == [[3]]


def test_a_row_without_numbers_spoils_its_bucket_only() -> None:
    """Five rows of 2 and one NaN in three pairs."""
    after = Bucketing(size=2)(column(2, 2, np.nan, 2, 2, 2))[:, 0]
    assert sorted(after[np.isfinite(after)].tolist()) == [2, 2]
    assert len(after) == 3


def test_clipping() -> None:
    """(3, 4) has length 5, (-6, -8) has 10, (0, 5.5) has 5.5."""
    rows = np.array([[3.0, 4.0], [-6.0, -8.0], [0.0, 5.5], [0.0, 0.0]])
    np.testing.assert_allclose(Clipping(radius=5)(rows), [[3, 4], [-3, -4], [0, 5], [0, 0]])
    short = np.array([[0.15, 0.2], [-0.15, -0.2], [0.0, 0.25], [0.0, 0.0]])
    np.testing.assert_allclose(Clipping(radius=0.25)(rows / 10), short)


def test_a_row_too_short_for_its_square_stays() -> None:
    """1e-200 squared is 0 in float64."""
    assert Clipping(radius=5)(column(1e-200)).tolist() == [[1e-200]]


@pytest.mark.parametrize("lie", [np.nan, np.inf, -np.inf, 1e200])
def test_what_has_no_direction_is_clipped_to_nothing(lie: float) -> None:
    assert Clipping(radius=5)(np.array([[1.0, lie], [9.0, 0.0]])).tolist() == [[0, 0], [5, 0]]
    assert Arc(byzantine=1)(np.array([[1.0, lie], [9.0, 0.0], [0.0, 2.0]])).tolist() == [[0, 0], [9, 0], [0, 2]]


@pytest.mark.parametrize("size", [1e20, 3e38])
def test_a_float32_row_of_any_size_is_as_long_as_the_radius(size: float) -> None:
    rows: Rows = np.full((1, 4), size, np.float32)
    np.testing.assert_allclose(Clipping(radius=2e-3)(rows), [[1e-3] * 4], rtol=1e-6)


def test_adaptive_robust_clipping() -> None:
    """n = 10, q = 2: k = floor(2 * 2 * 8 / 10) = 3, so of the lengths 1 to 10 those above 7 become 7."""
    rows = column(5, -10, 1, 9, -3, 8, 4, -7, 2, 6)
    after = Arc(byzantine=2)(rows)[:, 0].tolist()
    assert after == pytest.approx([5, -7, 1, 7, -3, 7, 4, -7, 2, 6])


@pytest.mark.parametrize(("n", "byzantine", "clipped"), [(3, 1, 1), (5, 1, 1), (5, 2, 2), (20, 8, 9), (7, 0, 0)])
def test_how_many_rows_are_clipped(n: int, byzantine: int, clipped: int) -> None:
    """floor of 4/3, 8/5, 12/5, 192/20 = 9.6, 0."""
    rows = np.arange(1.0, n + 1)[:, np.newaxis]
    assert (Arc(byzantine)(rows) < rows).sum() == clipped


def test_bounding() -> None:
    """u = 2: 3 stays, 6 becomes 4, 7.5 becomes 4 f(3.75) = 3, 9 becomes 4 f(4.5) = 2, 16 is 8 u and next to nothing."""
    bounded = Bounding()(column(2, -3, 2, 6, 1, -7.5, 0.5, 16, 0, 9, 1, 2, 2)).ravel().tolist()
    assert bounded == pytest.approx([2, -3, 2, 4, 1, -3, 0.5, 4e-6, 0, 2, 1, 2, 2])


def test_the_usual_length_falls_slowly_and_rises_at_once() -> None:
    """Medians 10, 1 and 20: u is 10, 9.99 and 20."""
    stage = Bounding()
    state = stage.init(np.zeros(1))
    for rows, usual in ((column(10, 10, 10), 10), (column(1, 1, 15), 9.99), (column(20, 20, 0), 20)):
        after, state = stage.step(state, Messages.of(rows))
        assert float(state.length) == pytest.approx(usual)
        assert after.numbers.tolist() == rows.tolist()


@pytest.mark.parametrize("lie", [np.nan, np.inf, 1e200])
def test_rows_without_a_length_are_bounded_to_nothing(lie: float) -> None:
    assert Bounding()(column(1, 2, lie, 2, 3)).ravel().tolist() == [1, 2, 0, 2, 3]
    assert Bounding()(column(lie, lie, 1)).ravel().tolist() == [0, 0, 0]
    assert Bounding()(column(0, 0, 5)).ravel().tolist() == [0, 0, 0]


def test_adaptive_robust_clipping_needs_an_honest_majority() -> None:
    with pytest.raises(InvalidInput, match="Arc needs n > 2 \\* byzantine; got n=6, byzantine=3"):
        Arc(byzantine=3)(np.ones((6, 2)))
