"""The idx format, byte by byte."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from holdfast.data.image_sets import parse_idx
from holdfast.errors import InvalidInput


def written(array: NDArray[np.uint8]) -> bytes:
    """An idx file: 00 00, 08 for bytes, the number of axes, their lengths as big-endian words, the data."""
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return bytes([0, 0, 8, array.ndim]) + lengths + array.tobytes()


def test_two_images_by_hand() -> None:
    content = bytes.fromhex("00000803 00000002 00000001 00000003 010203 fdfeff")
    assert parse_idx(content).tolist() == [[[1, 2, 3]], [[253, 254, 255]]]
    assert parse_idx(content).dtype == np.uint8


@given(arrays(np.uint8, array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)))
def test_what_is_written_is_read(array: NDArray[np.uint8]) -> None:
    np.testing.assert_array_equal(parse_idx(written(array)), array, strict=True)


def test_a_truncated_file_is_refused_wherever_it_ends() -> None:
    content = written(np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    for end in range(len(content)):
        with pytest.raises(InvalidInput, match=r"^an idx file .* must .*; got .*$"):
            parse_idx(content[:end])


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f\x8b\x08\x00 still packed",
        bytes.fromhex("00000d01 00000001 00000000"),
        bytes.fromhex("00010801 00000001 00"),
        bytes.fromhex("00000801 00000002 000000"),
        bytes.fromhex("00000804" + 4 * "00010000"),
    ],
    ids=["gzip", "floats", "no idx", "too long", "2^64 bytes"],
)
def test_what_is_no_idx_file_of_bytes(content: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^an idx file .* must .*; got .*$"):
        parse_idx(content)
