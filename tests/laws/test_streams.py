"""Addressed randomness: a draw depends on its address alone, and draws look random along every part of it."""

from hashlib import blake2b
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from holdfast.streams import Stream

MASK = 2**64 - 1
UNLIKELY = 1e-4
"""A level at which the fixed draws below pass with room, and broken ones do not."""


def split_mix(state: int, count: int) -> list[int]:
    """SplitMix64 as its authors wrote it, in plain integers."""
    words = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        words.append(finalised(state))
    return words


def finalised(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_words_are_splitmix64_from_a_hashed_start() -> None:
    # the first outputs for seed 1234567, as published with the reference implementation
    assert split_mix(1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    key = int.from_bytes(blake2b(b"8/batch", digest_size=8).digest(), "little")
    start = finalised(finalised(key ^ 3) ^ 41)
    assert Stream(8, "batch").words(np.array([3]), 41, 5)[0].tolist() == split_mix(start, 5)


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=6, unique=True),
    st.integers(0, 10**9),
    st.integers(0, 10**9),
)
def test_who_else_is_asked_does_not_matter(workers: list[int], round: int, seed: int) -> None:
    stream, asked = Stream(seed, "batch"), np.array(workers)
    bounds = asked % 50 + 1
    order = np.random.default_rng(round).permutation(len(asked))
    for i in order:
        alone = asked[[i]]
        again = Stream(seed, "batch")
        np.testing.assert_array_equal(again.words(alone, round, 7)[0], stream.words(asked, round, 7)[i])
        np.testing.assert_array_equal(again.normals(alone, round, 7)[0], stream.normals(asked, round, 7)[i])
        np.testing.assert_array_equal(
            again.integers(alone, round, bounds[[i]], 7)[0], stream.integers(asked, round, bounds, 7)[i]
        )


def test_nor_does_what_was_asked_before() -> None:
    stream, workers = Stream(1, "batch"), np.array([1, 2])
    forwards = [stream.words(workers, round, 3) for round in range(5)]
    backwards = [stream.words(workers, round, 3) for round in reversed(range(5))]
    np.testing.assert_array_equal(forwards, backwards[::-1])
    np.testing.assert_array_equal(stream.words(workers, 2, 9)[:, :3], forwards[2])


def test_another_address_is_another_draw() -> None:
    """Among 2 seeds x 3 purposes x 50 workers x 50 rounds x 4 words no two words are equal."""
    workers = np.arange(1, 51)
    words = [
        Stream(seed, purpose).words(workers, round, 4)
        for seed in (0, 1)
        for purpose in ("batch", "attack", "partition")
        for round in range(50)
    ]
    assert len(np.unique(words)) == 2 * 3 * 50 * 50 * 4


def drawn(along: str, count: int) -> tuple[Stream, NDArray[np.int64], range, int]:
    """What to ask for so that `count` draws differ in one part of their address only."""
    stream = Stream(7, "batch")
    if along == "workers":
        return stream, np.arange(1, count + 1), range(5, 6), 1
    return stream, np.array([4]), range(count) if along == "rounds" else range(5, 6), 1 if along == "rounds" else count


along_every_part = pytest.mark.parametrize("along", ["workers", "rounds", "words"])


@along_every_part
@pytest.mark.parametrize("bound", [2, 7, 300])
def test_integers_are_uniform(along: str, bound: int) -> None:
    stream, workers, rounds, count = drawn(along, 20_000)
    bounds = np.full(len(workers), bound)
    draws = np.concatenate([stream.integers(workers, round, bounds, count).ravel() for round in rounds])
    counts = np.bincount(draws, minlength=bound)
    assert len(counts) == bound
    assert stats.chisquare(counts).pvalue > UNLIKELY


@along_every_part
def test_neighbouring_integers_are_independent(along: str) -> None:
    stream, workers, rounds, count = drawn(along, 20_000)
    bounds = np.full(len(workers), 6)
    draws = np.concatenate([stream.integers(workers, round, bounds, count).ravel() for round in rounds])
    pairs = np.bincount(6 * draws[:-1:2] + draws[1::2], minlength=36)
    assert stats.chisquare(pairs).pvalue > UNLIKELY


def test_every_worker_has_its_own_bound() -> None:
    bounds = np.array([1, 2, 5, 1000])
    draws = Stream(0, "batch").integers(np.array([4, 5, 6, 7]), 0, bounds, 5000)
    assert draws.min(axis=1).tolist()[:3] == [0, 0, 0]
    assert draws.max(axis=1).tolist()[:3] == [0, 1, 4]
    assert 900 < draws[3].max() < 1000


@along_every_part
def test_normals_have_the_right_distribution(along: str) -> None:
    stream, workers, rounds, count = drawn(along, 20_000)
    draws = np.concatenate([stream.normals(workers, round, count).ravel() for round in rounds])
    error = len(draws) ** -0.5
    assert abs(draws.mean()) < 4 * error
    assert abs(draws.var() - 1) < 4 * 2**0.5 * error
    assert abs(stats.skew(draws)) < 4 * 6**0.5 * error
    assert abs(stats.kurtosis(draws)) < 4 * 24**0.5 * error
    assert stats.kstest(draws, "norm").pvalue > UNLIKELY


def test_the_two_halves_of_box_and_muller_are_uncorrelated() -> None:
    first, second = np.split(Stream(0, "attack").normals(np.array([1]), 0, 20_000)[0], 2)
    for power in (1, 2):
        assert abs(np.corrcoef(first**power, second**power)[0, 1]) < 0.04


@pytest.mark.parametrize("count", [1, 2, 5])
def test_normals_come_in_any_number(count: int) -> None:
    assert Stream(0, "attack").normals(np.array([1, 2, 3]), 0, count).shape == (3, count)


def test_generators_differ_by_seed_and_purpose_only() -> None:
    streams = [Stream(0, "partition"), Stream(1, "partition"), Stream(0, "split")]
    orders = [tuple(stream.generator().permutation(30)) for stream in streams]
    assert all(one != other for one, other in combinations(orders, 2))
    assert tuple(Stream(0, "partition").generator().permutation(30)) == orders[0]
