"""Bytes from a node are read as an array, or refused with a reason; never anything else."""

import struct
from contextlib import suppress
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stores import Array, stored

from holdfast.federation.model_layout import Unfit, view_array

F4 = np.dtype(np.float32)


@pytest.mark.parametrize("order", ["C", "F"])
def test_what_was_stored_is_read_without_a_copy(order: str) -> None:
    array = np.asarray(np.arange(6, dtype=np.float32).reshape(2, 3), order=order)  # type: ignore[call-overload]
    given = stored(array)
    view = view_array("w", given, F4, (2, 3))
    assert np.array_equal(view, array)
    assert np.shares_memory(view, np.frombuffer(given.data, np.uint8))


def objects() -> Array:
    buffer = BytesIO()
    np.save(buffer, np.array([{}], dtype=object), allow_pickle=True)
    return Array(buffer.getvalue())


def declaring(shape: str) -> Array:
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return Array(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (stored(np.zeros(3)), "must have type float32; got float64"),
        (stored(np.zeros(1, np.float32)), r"must have shape \(3,\); got \(1,\)"),
        (stored(np.zeros((3, 1), np.float32)), r"must have shape \(3,\); got \(3, 1\)"),
        (stored(np.zeros(3, ">f4")), "must have type float32; got >f4"),
        (Array(stored(np.zeros(3, np.float32)).data[:-1]), "must have 12 bytes; got 11"),
        (Array(stored(np.zeros(3, np.float32)).data + b"!"), "must have 12 bytes; got 13"),
        (Array(b""), "got 0 bytes that are not"),
        (Array(bytes(200_000_000)), "got 200000000 bytes that are not"),
        (Array(stored(np.zeros(3, np.float32)).data, "pickle"), "must be stored as numpy.ndarray; got 'pickle'"),
        (objects(), "must have type float32; got object"),
        (declaring("(1 << 60,)"), "bytes that are not"),
        (declaring("(3,)"), "must have 12 bytes; got 0"),
        (declaring("(" * 2000), "bytes that are not"),
    ],
)
def test_all_else_is_refused_with_a_reason(sent: Array, reason: str) -> None:
    with pytest.raises(Unfit, match=reason) as raised:
        view_array("w", sent, F4, (3,))
    assert "\n" not in str(raised.value)


@given(st.binary(max_size=300), st.integers(0, 140), st.booleans())
def test_no_bytes_raise_anything_else(noise: bytes, at: int, inside: bool) -> None:
    whole = stored(np.zeros(3, np.float32)).data
    with suppress(Unfit):
        view_array("w", Array(whole[:at] + noise + whole[at + len(noise) :] if inside else noise), F4, (3,))
