"""Packets: what they hold comes back; arbitrary bytes are refused and ask for no memory."""

import json
import struct
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from holdfast.engines import wire
from holdfast.engines.wire import Kind, WireError

ARRAYS = st.dictionaries(
    st.text(max_size=9),
    st.sampled_from(["<f4", "<f8", "<i8", "<u2", "|u1", "|b1", ">f8"]).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    ),
    max_size=4,
)


@given(kind=st.text(max_size=9), given=ARRAYS)
def test_arrays_come_back_bit_for_bit(kind: str, given: dict[str, np.ndarray]) -> None:
    packet = wire.unpack(wire.pack(kind, **given))
    assert packet.kind == kind
    assert list(packet.arrays) == list(given)
    for name, array in packet.arrays.items():
        assert array.shape == given[name].shape
        assert array.dtype.newbyteorder("=") == given[name].dtype.newbyteorder("=")
        assert array.astype(given[name].dtype).tobytes() == given[name].tobytes()


def test_bytes_are_an_array_of_bytes_and_names_may_be_any() -> None:
    packet = wire.unpack(wire.pack("play", kind=b"abc", round=7))
    assert packet.arrays["kind"].tobytes() == b"abc"
    assert int(packet.arrays["round"]) == 7


def test_a_frame_is_no_packet() -> None:
    assert wire.is_packet(wire.pack("done"))
    assert not wire.is_packet(wire.floats(Kind.MODEL, np.zeros((1, 2)), 0))
    assert not wire.is_packet(b"")


def signed(head: bytes, body: bytes, length: int | None = None) -> bytes:
    rest = struct.pack("<I", len(head) if length is None else length) + head + body
    return b"HFSP" + struct.pack("<I", crc32(rest)) + rest


def test_a_packet_by_hand() -> None:
    assert wire.pack("sum", sum=np.array([1.5])) == signed(b'["sum",[["sum","<f8",[1]]]]', struct.pack("<d", 1.5))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"HFSP", "at least 12 bytes; got 4"),
        (b"HFST" + bytes(20), "must begin with"),
        (b"HFSP" + bytes(20), "checksum"),
        (signed(b'["a",[]]', b"", length=99), "be there; got 99 declared"),
        (signed(b" " * 70000, b""), "at most 65536 bytes"),
        (signed(b'["a",[["x","<f8",[2]]]]', bytes(8)), "too few bytes for 'x'"),
        (signed(b'["a",[["x","<f8",[281474976710655,281474976710655]]]]', bytes(8)), "too few bytes for 'x'"),
        (signed(b'["a",[["x","<f8",[1]]]]', bytes(16)), "each once; got more"),
        (signed(b'["a",[["x","|u1",[1]],["x","|u1",[1]]]]', bytes(2)), "each once; got more"),
        *((signed(head, bytes(8)), "a packet's") for head in (
            b"", b"[]", b"{}", b"null", b'"ab"', b"[" * 60000, b"\xff", b'["a",[["x","<f8"]]]',
            b'["a",[["x","|O",[1]]]]', b'["a",[["x","O",[1]]]]', b'["a",[["x","float64",[1]]]]',
            b'["a",[["x","<U2",[1]]]]', b'["a",[["x","<M8[s]",[1]]]]', b'["a",[["x","<f8",[-1]]]]',
            b'["a",[["x","<f8",[true]]]]',
            b'["a",[["x","<f8",[1.0]]]]', b'["a",[["x","<f8",1]]]', b'["a",[[1,"<f8",[1]]]]', b'[1,[["x","<f8",[1]]]]',
            b'["a",[["x","f4,f4",[1]]]]', b'["a",[["x",["<f8"],[1]]]]', b'["a",[["x","<f8",[1,1,1,1,1,1,1,1,1]]]]',
            b'["a",[["x",null,[1]]]]', b'["a",[["x",{"names":["a"]},[1]]]]', b'["a",[["x","<f8",[[1]]]]]',
        )),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_though_the_checksum_is_right(data: bytes, says: str) -> None:
    with pytest.raises(WireError, match=says):
        wire.unpack(data)


@given(st.binary(max_size=100))
def test_arbitrary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        wire.unpack(data)


@given(st.binary(max_size=60), st.binary(max_size=20))
def test_arbitrary_heads_that_are_signed_are_read_or_refused(head: bytes, body: bytes) -> None:
    try:
        wire.unpack(signed(head, body))
    except WireError:
        return


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from(["x", "<f8", "|u1", "<f4", "O", "i,i", "a"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=12,
)


@given(head=JSON, body=st.binary(max_size=20))
def test_heads_of_any_structure_are_read_or_refused(head: Any, body: bytes) -> None:
    try:
        wire.unpack(signed(json.dumps(head).encode(), body))
    except WireError:
        return


@given(data=st.data())
def test_a_changed_packet_is_refused(data: st.DataObject) -> None:
    good = wire.pack("state", model=np.arange(6.0).reshape(2, 3))
    bad = bytearray(good)
    bad[data.draw(st.integers(0, len(good) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(WireError):
        wire.unpack(bytes(bad))
