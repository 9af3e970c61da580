"""Sides in one bit, and a coin for ties with the master."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.methods.penalties import L1
from holdfast.onebit import BreakTies, Coin, Counter, TakeSides, count_sides
from holdfast.typing import Messages, Rows, Sides, Tally

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-45, 3e38]


def rows_with_ties(n: int, d: int, seed: int, dtype: type) -> tuple[Rows, Rows]:
    generator = np.random.default_rng(seed)
    model: Rows = generator.choice([0.0, -0.0, 1.0, 1e-45, -3e38], d).astype(dtype)
    return model, np.where(generator.random((n, d)) < 0.4, model, generator.choice(SPECIAL, (n, d))).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(n=st.integers(1, 300), d=st.integers(1, 150), seed=st.integers(0, 10**6))
def test_a_tally_of_bits_pulls_as_the_decided_models_do(dtype: type, n: int, d: int, seed: int) -> None:
    model, rows = rows_with_ties(n, d, seed, dtype)
    messages = Messages(rows, np.arange(1, n + 1), 4, seed, model)
    decided = cast(Rows, BreakTies().encode(messages).rows)
    sides = TakeSides().encode(messages).rows
    assert isinstance(sides, Sides)
    tally = count_sides(sides)
    assert not np.isnan(decided).any()
    assert not (decided == model).any()
    pull = L1(0.07).pull(model, decided)
    assert (0.07 * tally.signs(dtype)).tobytes() == (pull + 0.0).tobytes()


def test_what_is_not_tied_is_left_alone() -> None:
    model, rows = rows_with_ties(9, 80, 3, np.float32)
    decided = Coin(0).break_ties(model, rows, np.arange(1, 10), 0)
    clear = ~np.isnan(rows) & (rows != model)
    np.testing.assert_array_equal(decided[clear], rows[clear])
    assert (decided[np.isnan(rows)] == np.inf).all()
    tied = rows == model
    beside = np.broadcast_to(model, rows.shape)[tied]
    assert ((decided[tied] == np.nextafter(beside, -np.inf)) | (decided[tied] == np.nextafter(beside, np.inf))).all()


def test_a_worker_alone_tosses_what_it_tosses_among_others() -> None:
    model = np.zeros(500)
    everyone = Coin(1).sides(model, np.zeros((5, 500)), np.arange(1, 6), 9)
    alone = Coin(1).sides(model, np.zeros((1, 500)), np.array([4]), 9)
    np.testing.assert_array_equal(everyone[3], alone[0])


def test_the_coin_is_fair_and_new_for_every_worker_round_and_seed() -> None:
    """100,000 tosses: the share of ones is within 4 standard deviations, 4 * 0.5 / sqrt(100000) = 0.0063."""
    d = 10_000

    def ones(seed: int, worker: int, round: int) -> np.ndarray:
        bits = Coin(seed).sides(np.zeros(d), np.zeros((1, d)), np.array([worker]), round)
        return kernels.count_bits(bits, d)

    tosses = [ones(seed, worker, round) for seed in (0, 1) for worker in (1, 2) for round in (0, 1)]
    assert abs(np.mean([ones(0, worker, 0).mean() for worker in range(1, 11)]) - 0.5) < 0.0063
    for i, first in enumerate(tosses):
        for second in tosses[:i]:
            assert 0.45 < (first == second).mean() < 0.55


def test_counts_add_up_in_any_order_and_beyond_a_byte() -> None:
    d, n = 130, 700
    bits = np.random.default_rng(0).integers(0, 256, (n, kernels.bit_width(d)), np.uint8)
    at_once, by_parts = Counter(d, n), Counter(d, n)
    at_once.add(bits)
    for part in np.array_split(bits[::-1], 9):
        some = Counter(d, len(part))
        some.add(part)
        by_parts.merge(some.tally())
    assert at_once.tally().voters == by_parts.tally().voters == n
    np.testing.assert_array_equal(at_once.tally().ones, by_parts.tally().ones)
    assert at_once.tally().ones.dtype == np.uint16
    assert at_once.tally().ones.max() > 255


def test_more_voters_than_expected_are_refused_before_a_count_overflows() -> None:
    counter = Counter(3, capacity=2)
    counter.add(np.full((2, 8), 255, np.uint8))
    with pytest.raises(InvalidInput, match="at most 2 voters must be counted; got 3"):
        counter.add(np.full((1, 8), 255, np.uint8))
    with pytest.raises(InvalidInput, match="must have 3 coordinates; got 4"):
        Counter(3, capacity=2).merge(Tally(np.ones(4, np.uint8), 1))
