"""Frames: what they hold comes back, their sizes are as promised, and one by hand."""

import struct
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import kernels
from holdfast.engines import wire
from holdfast.engines.wire import HEADER_BYTES, Kind, WireError
from holdfast.typing import Rows, Tally

DIMENSIONS = st.integers(1, 300)
ROUNDS = st.integers(0, 2**64 - 1)


def random_sides(n: int, d: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    rows, coins = generator.normal(size=(n, d)), np.zeros((n, kernels.bit_width(d)), np.uint8)
    return kernels.pack_bits(np.zeros(d), rows, coins)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [Kind.MODEL, Kind.GRADIENT])
@given(n=st.integers(1, 5), d=DIMENSIONS, round=ROUNDS, seed=st.integers(0, 99))
def test_numbers_come_back_bit_for_bit(kind: Kind, dtype: type, n: int, d: int, round: int, seed: int) -> None:
    words = np.random.default_rng(seed).integers(0, 256, n * d * np.dtype(dtype).itemsize, np.uint8)
    rows: Rows = words.view(dtype).reshape(n, d)  # any bits: NaN and infinities too
    frame, found = wire.read(wire.floats(kind, rows, round), d)
    assert (frame.kind, frame.round, frame.count, frame.dimension) == (kind, round, n, d)
    assert isinstance(found, np.ndarray)
    assert found.dtype == dtype
    assert found.tobytes() == rows.tobytes()


@given(n=st.integers(1, 9), d=DIMENSIONS, round=ROUNDS, seed=st.integers(0, 99))
def test_sides_come_back(n: int, d: int, round: int, seed: int) -> None:
    bits = random_sides(n, d, seed)
    data = wire.sides(bits, d, round)
    frame, found = wire.read(data, d)
    assert (frame.round, frame.count) == (round, n)
    np.testing.assert_array_equal(found, bits)
    assert len(data) == HEADER_BYTES + n * kernels.bit_width(d)


@given(voters=st.integers(1, 2**32), d=DIMENSIONS, seed=st.integers(0, 99))
def test_tallies_come_back_in_as_many_bits_as_the_voters_have(voters: int, d: int, seed: int) -> None:
    ones = np.random.default_rng(seed).integers(0, voters, d, np.uint64, endpoint=True)
    ones[0], ones[-1] = 0, voters
    tally = Tally(ones.astype(np.min_scalar_type(voters)), voters)
    data = wire.tally(tally, 3)
    _, found = wire.read(data, d)
    assert isinstance(found, Tally)
    assert found.voters == voters
    np.testing.assert_array_equal(found.ones, tally.ones)
    # ceil(log2(voters + 1)) bits a coordinate
    assert len(data) == HEADER_BYTES + int(np.ceil(np.log2(voters + 1))) * kernels.bit_width(d)


def test_a_frame_by_hand() -> None:
    """Three coordinates of one worker, x0 > x_i on the first and last: bit 0 of bytes 0 and 2 of a word."""
    bits = np.array([[1, 0, 1, 0, 0, 0, 0, 0]], np.uint8)
    head = b"HFST" + bytes([1, 3, 0, 0]) + struct.pack("<QQQQ", 7, 3, 1, 8)
    assert wire.sides(bits, 3, round=7) == head + struct.pack("<I", crc32(head + bits.tobytes())) + bits.tobytes()


def test_a_tally_by_hand() -> None:
    """Counts 1, 2, 3 of 3 voters: two planes, 101 and 011, a word each."""
    data = wire.tally(Tally(np.array([1, 2, 3], np.uint8), 3), round=0)
    planes = [[1, 0, 1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0, 0]]
    assert np.frombuffer(data[HEADER_BYTES:], np.uint8).reshape(2, 8).tolist() == planes


def test_the_paper_s_model_fits_into_1100_bytes_up() -> None:
    assert len(wire.sides(random_sides(1, 7850, 0), 7850, 4999)) == 1028
    assert len(wire.model(np.zeros(7850, np.float32), 0)) == 31444


GOOD = wire.sides(random_sides(2, 70, 1), 70, 5)


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (0, 0, "must begin with"),
        (4, 2, "must be of version 1; got 2"),
        (5, 0, "kind must be from 1 to 4; got 0"),
        (5, 9, "kind must be from 1 to 4; got 9"),
        (6, 1, "SIDES must have a type that fits; got code 1"),
        (7, 1, "checksum"),
        (8, 6, "checksum"),
        (16, 200, "must have 64 bytes; got 32"),
        (24, 1, "must have 16 bytes; got 32"),
        (32, 31, "payload of 31 bytes that it declares; got 32"),
        (40, 1, "checksum"),
        (50, 255, "checksum"),
    ],
)
def test_what_is_wrong_with_a_frame_is_said(at: int, value: int, message: str) -> None:
    bad = bytearray(GOOD)
    bad[at] = value
    with pytest.raises(WireError, match=message):
        wire.decode(bytes(bad))


def signed(head: bytes, payload: bytes) -> bytes:
    return head + struct.pack("<I", crc32(payload, crc32(head))) + payload


def header(kind: int, code: int, dimension: int, count: int, length: int) -> bytes:
    return struct.pack("<4sBBBxQQQQ", b"HFST", 1, kind, code, 0, dimension, count, length)


@pytest.mark.parametrize(
    ("kind", "code", "dimension", "count", "payload", "message"),
    [
        (4, 0, 2**40, 1, b"", "dimension must be from 1 to"),
        (4, 0, 2**32, 0, b"", "count must be from 1 to"),
        (4, 0, 2**32, 1, b"", "must have 536870912 bytes; got 0"),
        (1, 1, 0, 1, b"", "dimension must be from 1 to"),
        (1, 1, 2**32, 2**32, b"", "must have .* bytes; got 0"),
        (1, 0, 2, 1, bytes(8), "MODEL must have a type that fits; got code 0"),
        (3, 0, 3, 1, bytes([9]) + bytes(7), "bits beyond the dimension 3 must be 0"),
        (4, 0, 1, 2, bytes([1] + 7 * [0] + [1] + 7 * [0]), "count must be at most the 2 voters; got 3"),
    ],
)
def test_what_is_declared_is_checked_though_the_checksum_is_right(
    kind: int, code: int, dimension: int, count: int, payload: bytes, message: str
) -> None:
    with pytest.raises(WireError, match=message):
        wire.read(signed(header(kind, code, dimension, count, len(payload)), payload))


def test_another_dimension_or_kind_than_expected_is_refused() -> None:
    with pytest.raises(WireError, match="must have dimension 71; got 70"):
        wire.decode(GOOD, dimension=71)
    with pytest.raises(WireError, match="must be of kind MODEL or GRADIENT; got SIDES"):
        wire.rows_of(wire.decode(GOOD))


def test_whole_numbers_are_no_model() -> None:
    with pytest.raises(WireError, match="MODEL must have a type that fits"):
        wire.floats(Kind.MODEL, np.zeros((1, 3), np.int32), 0)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.read(data)


@given(data=st.data())
def test_a_changed_frame_is_refused_and_a_cut_one_too(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(GOOD) - 1))
    bad = bytearray(GOOD)
    bad[at] ^= data.draw(st.integers(1, 255))
    for changed in (bytes(bad), GOOD[:at], GOOD + bytes(at + 1)):
        with pytest.raises(WireError):
            wire.read(changed)


@given(
    kind=st.integers(0, 6),
    code=st.integers(0, 3),
    dimension=st.integers(0, 140) | st.integers(0, 2**64 - 1),
    count=st.integers(0, 5) | st.integers(0, 2**64 - 1),
    payload=st.binary(max_size=64),
)
def test_whoever_signs_right_is_read_or_refused(
    kind: int, code: int, dimension: int, count: int, payload: bytes
) -> None:
    """What is read is written again as the same bytes: there is one way to say a thing."""
    data = signed(header(kind, code, dimension, count, len(payload)), payload)
    try:
        frame, found = wire.read(data)
    except WireError:
        return
    if isinstance(found, Tally):
        assert wire.tally(found, frame.round) == data
    elif frame.kind is Kind.SIDES:
        assert wire.sides(found.astype(np.uint8), frame.dimension, frame.round) == data
    else:
        assert wire.floats(frame.kind, found.view(np.dtype(found.dtype)), frame.round) == data
