"""Room is given again exactly when nobody can see what is there."""

import numpy as np

from holdfast.kernels.room import MOST, SMALLEST, room
from holdfast.typing import Rows

SHAPE = (2, SMALLEST)


def address(array: Rows) -> int:
    return int(array.__array_interface__["data"][0])


def test_what_nobody_holds_is_used_again() -> None:
    first = room(SHAPE, np.float32)
    at = address(first)
    del first
    assert address(room(SHAPE, np.float32)) == at


def test_what_somebody_holds_is_not() -> None:
    whole = room(SHAPE, np.float32)
    at, view = address(whole), whole[1:, ::2]
    whole[:] = 3
    del whole
    others = [room(SHAPE, np.float32) for _ in range(MOST + 2)]
    for other in others:
        other[:] = 0
    assert at not in map(address, others)
    assert (view == 3).all()


def test_shape_and_type_are_those_asked_for() -> None:
    room(SHAPE, np.float32)
    assert room((2, 3), np.float64).shape == (2, 3)
    assert room(SHAPE, np.float64).dtype == np.float64
    assert room(SHAPE[::-1], np.float32).shape == SHAPE[::-1]
