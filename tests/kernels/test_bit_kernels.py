"""A bit a coordinate: which side of the rows the model is on, and how many rows say so."""

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from twins import DIMENSIONS, DTYPES, Bytes, Maker, hostile, ordinary

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Rows, Vector

every_type = pytest.mark.parametrize("dtype", DTYPES)
every_kind = pytest.mark.parametrize("rows_of", [ordinary, hostile])
COUNTS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 63, 64, 65, 127, 128, 129, 254, 255]


def random_bytes(n: int, d: int, seed: int = 0) -> Bytes:
    return np.random.default_rng((n, d, seed)).integers(0, 256, (n, kernels.bit_width(d)), dtype=np.uint8)


def test_messages_are_whole_words() -> None:
    assert [kernels.bit_width(d) for d in (1, 63, 64, 65, 128, 129, 7850)] == [8, 8, 8, 16, 16, 24, 984]


@every_type
@every_kind
@pytest.mark.parametrize("d", DIMENSIONS)
def test_pack_bits(rows_of: Maker, d: int, dtype: type) -> None:
    model, *rest = rows_of(6, d, dtype)
    rows, coins = np.array(rest), random_bytes(5, d)
    packed = kernels.pack_bits(model, rows, coins)
    assert packed.dtype == np.uint8
    np.testing.assert_array_equal(packed, twins.pack_bits(model, rows, coins))


@every_type
@given(st.integers(1, 700), st.integers(0, 10**6))
def test_pack_bits_of_any_width(dtype: type, d: int, seed: int) -> None:
    rows, coins = hostile(3, d, dtype, seed), random_bytes(3, d, seed)
    np.testing.assert_array_equal(kernels.pack_bits(rows[0], rows, coins), twins.pack_bits(rows[0], rows, coins))


@every_type
def test_pack_bits_by_hand(dtype: type) -> None:
    """Of 9 coordinates, coordinate 8 is bit 1 of byte 0, since byte b holds b, 8 + b, 16 + b...

    Above, below, tied zeros, tied infinities, NaN on either side, tied, above, above.
    """
    inf, nan = np.inf, np.nan
    model: Vector = np.array([1, -1, 0.0, inf, nan, 0, 2, 5, 7], dtype)
    row: Rows = np.array([[0, 0, -0.0, inf, 0, nan, 2, -inf, 6]], dtype)
    coins = np.zeros((1, 8), np.uint8)
    assert kernels.pack_bits(model, row, coins).tolist() == [[0b11, 0, 0, 0, 0, 0, 0, 1]]
    assert kernels.pack_bits(model, row, np.full_like(coins, 0xFF)).tolist() == [[0b11, 0, 1, 1, 0, 0, 1, 1]]


@every_type
@pytest.mark.parametrize("d", [1, 65, 2047])
def test_coins_decide_ties_and_nothing_else(d: int, dtype: type) -> None:
    """Equal rows give the coins themselves, without the bits beyond d; rows that differ give none of them."""
    model, coins = ordinary(1, d, dtype)[0], random_bytes(3, d)
    tied = kernels.pack_bits(model, np.tile(model, (3, 1)), coins)
    np.testing.assert_array_equal(twins.unpacked(tied)[:, :d], twins.unpacked(coins)[:, :d])
    assert not twins.unpacked(tied)[:, d:].any()
    assert not kernels.pack_bits(model, np.tile(model + 1, (3, 1)), coins).any()


@every_type
@every_kind
@pytest.mark.parametrize("d", DIMENSIONS)
def test_toss_bits(rows_of: Maker, d: int, dtype: type) -> None:
    """The same bits as with the stream's words for coins."""
    model, *rest = rows_of(6, d, dtype)
    rows, workers, stream = np.array(rest), np.array([2, 3, 5, 8, 13]), Stream(7, "tie")
    coins = stream.words(workers, 11, kernels.bit_width(d) // 8).astype("<u8").view(np.uint8)
    tossed = kernels.toss_bits(model, rows, stream.key, workers, 11)
    np.testing.assert_array_equal(tossed, twins.pack_bits(model, rows, coins))


def test_toss_bits_needs_a_worker_a_row() -> None:
    with pytest.raises(InvalidInput, match=r"workers must be one per row, \(2,\); got \(3,\)"):
        kernels.toss_bits(np.zeros(5), np.zeros((2, 5)), 0, np.arange(3), 0)


@pytest.mark.parametrize("n", COUNTS)
def test_count_bits(n: int) -> None:
    for d in DIMENSIONS:
        messages = random_bytes(n, d)
        counts = kernels.count_bits(messages, d)
        assert (counts.dtype, counts.shape) == (np.dtype(np.uint8), (d,))
        np.testing.assert_array_equal(counts, twins.count_bits(messages, d))


@pytest.mark.parametrize("n", COUNTS)
def test_count_bits_that_all_agree(n: int) -> None:
    """Every carry at once, in the first block of words and in the next ones."""
    d = 3 * 512 * 64 + 8
    assert (kernels.count_bits(np.full((n, kernels.bit_width(d)), 0xFF, np.uint8), d) == n).all()
    assert not kernels.count_bits(np.zeros((n, kernels.bit_width(d)), np.uint8), d).any()


def test_counts_fit_into_a_byte_or_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 255 messages at a time; got 256"):
        kernels.count_bits(np.zeros((256, 8), np.uint8), 3)


@every_type
@pytest.mark.parametrize("d", [1, 65, 2049])
def test_counts_give_the_sum_of_signs(d: int, dtype: type) -> None:
    """Without ties each of n rows adds 1 or -1: twice the count minus n."""
    model, rows = ordinary(1, d, dtype, seed=1)[0], ordinary(33, d, dtype)
    counts = kernels.count_bits(kernels.pack_bits(model, rows, random_bytes(33, d)), d)
    np.testing.assert_array_equal(2.0 * counts - 33, kernels.sign_sum(model, rows))


@pytest.mark.parametrize("words", [1, 2, 3, 5, 246])
def test_differing_bits(words: int) -> None:
    some, others = (np.random.default_rng(n).integers(0, 2**64, (n, words), dtype=np.uint64) for n in (3, 7))
    some[0], others[0] = 0, 2**64 - 1
    found = kernels.differing_bits(some, others)
    assert found[0, 0] == 64 * words
    assert found.tolist() == [[int(np.bitwise_count(a ^ b).sum()) for b in others] for a in some]
    with pytest.raises(InvalidInput, match=f"must have {words} words each; got {words + 1}"):
        kernels.differing_bits(some, np.zeros((1, words + 1), np.uint64))


@every_type
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 11, 300])
@pytest.mark.parametrize("d", [*DIMENSIONS, 8 * 2048 + 65])
def test_weigh_bits(d: int, n: int, dtype: type) -> None:
    """Like its twin, and like the sum of the signs of rows with these bits: to the last bit."""
    weights: Vector = np.random.default_rng(n).choice([0.0, 1.0, 2 / 3, 0.1, 1e-3], n).astype(dtype)
    messages = random_bytes(n, d)
    found = kernels.weigh_bits(messages, weights, d)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, twins.weigh_bits(messages, weights, d))
    rows: Rows = 1 - 2 * twins.unpacked(messages)[:, :d].astype(dtype)
    np.testing.assert_array_equal(found, kernels.sign_sum(np.zeros(d, dtype), rows, weights))


def test_weigh_bits_by_hand() -> None:
    """Of 9 coordinates, coordinate 8 is bit 1 of byte 0; a message of weight 0 says nothing."""
    messages = np.zeros((3, 8), np.uint8)
    messages[0, 0], messages[1, 7], messages[2] = 0b11, 1, 0xFF
    found = kernels.weigh_bits(messages, np.array([1.0, 0.5, 0.0]), 9)
    assert found.tolist() == [0.5, *6 * [-1.5], -0.5, 0.5]


def test_weigh_bits_needs_a_weight_a_message_and_a_bit_a_coordinate() -> None:
    with pytest.raises(InvalidInput, match=r"weights must be one per row, \(2,\); got \(3,\)"):
        kernels.weigh_bits(np.zeros((2, 8), np.uint8), np.ones(3), 5)
    with pytest.raises(InvalidInput, match="a message of 65 bits must have 16 bytes; got 8"):
        kernels.weigh_bits(np.zeros((2, 8), np.uint8), np.ones(2), 65)
