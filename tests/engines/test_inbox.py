"""What comes in during a round."""

from typing import cast

import numpy as np
import pytest

from holdfast.engines import wire
from holdfast.engines.remote.inbox import Inbox
from holdfast.engines.wire import Kind, WireError
from holdfast.typing import Rows, Sides, Tally

FIRST, SECOND = np.array([1, 2, 3]), np.array([4, 5])
BEYOND = wire.encode(wire.Frame(Kind.SIDES, 0, 6, 2, 3, np.full((3, 8), 4, np.uint8)))


def test_rows_stand_in_the_workers_order_however_they_came() -> None:
    inbox = Inbox(np.array([1, 3, 4, 5]), np.zeros(2), Kind.MODEL, round=6)
    inbox.admit(SECOND, wire.floats(Kind.MODEL, np.array([[4.0, 4.0], [5.0, 5.0]]), 6))
    inbox.admit(FIRST, wire.floats(Kind.MODEL, np.array([[1.0, 1.0], [3.0, 3.0]]), 6))
    rows = cast(Rows, inbox.messages())
    assert rows[:, 0].tolist() == inbox.workers.tolist() == [1, 3, 4, 5]
    assert rows.dtype == np.float64


def test_bits_stand_in_the_workers_order_however_they_came() -> None:
    inbox = Inbox(np.array([1, 3, 4, 5]), np.zeros(2), Kind.SIDES, round=6)
    for workers, first in ((SECOND, [[1] + 7 * [0], 8 * [0]]), (FIRST, [8 * [0], 2 * [1] + 6 * [0]])):
        inbox.admit(workers, wire.sides(np.array(first, np.uint8), 2, 6))
    assert inbox.workers.tolist() == [1, 3, 4, 5]
    bits, dimension = cast(Sides, inbox.messages())
    assert bits[:, :2].tolist() == [[0, 0], [1, 1], [1, 0], [0, 0]]
    assert dimension == 2


def test_tallies_add_up() -> None:
    inbox = Inbox(np.arange(1, 6), np.zeros(2), Kind.TALLY, round=6)
    inbox.admit(FIRST, wire.tally(Tally(np.array([3, 0], np.uint8), 3), 6))
    assert inbox.workers.tolist() == [1, 2, 3]
    inbox.admit(SECOND, wire.tally(Tally(np.array([1, 2], np.uint8), 2), 6))
    ones, voters = cast(Tally, inbox.messages())
    assert ones.tolist() == [4, 2]
    assert voters == len(inbox.workers) == 5


@pytest.mark.parametrize(("round", "voters"), [(5, 3), (6, 2), (7, 3)])
def test_another_round_or_another_number_of_voters_is_refused(round: int, voters: int) -> None:
    inbox = Inbox(np.arange(1, 6), np.zeros(2), Kind.TALLY, round=6)
    with pytest.raises(WireError, match=f"must be of round 6 and 3 workers; got {round} and {voters}"):
        inbox.admit(FIRST, wire.tally(Tally(np.zeros(2, np.uint8), voters), round))
    assert not len(inbox.workers)


@pytest.mark.parametrize(
    ("due", "answer", "says"),
    [
        (Kind.MODEL, wire.floats(Kind.GRADIENT, np.zeros((3, 2)), 6), "of kind MODEL; got GRADIENT"),
        (Kind.MODEL, wire.floats(Kind.MODEL, np.zeros((3, 2), np.float32), 6), "of type float64; got float32"),
        (Kind.MODEL, wire.tally(Tally(np.zeros(2, np.uint8), 3), 6), "of kind MODEL; got TALLY"),
        (Kind.TALLY, wire.floats(Kind.MODEL, np.zeros((3, 2)), 6), "of kind TALLY; got MODEL"),
        (Kind.TALLY, wire.tally(Tally(np.zeros(3, np.uint8), 3), 6), "must have dimension 2; got 3"),
        (Kind.TALLY, b"", "at least 44 bytes; got 0"),
        (Kind.SIDES, wire.tally(Tally(np.zeros(2, np.uint8), 3), 6), "of kind SIDES; got TALLY"),
        (Kind.SIDES, wire.floats(Kind.MODEL, np.zeros((3, 2)), 6), "of kind SIDES; got MODEL"),
        (Kind.SIDES, wire.sides(np.zeros((3, 8), np.uint8), 3, 6), "must have dimension 2; got 3"),
        (Kind.SIDES, wire.sides(np.zeros((3, 8), np.uint8), 2, 5), "of round 6 and 3 workers; got 5 and 3"),
        (Kind.SIDES, wire.sides(np.zeros((2, 8), np.uint8), 2, 6), "of round 6 and 3 workers; got 6 and 2"),
        (Kind.SIDES, BEYOND, "bits beyond the dimension 2 must be 0"),
        (Kind.MODEL, wire.sides(np.zeros((3, 8), np.uint8), 2, 6), "of kind MODEL; got SIDES"),
    ],
)
def test_what_is_not_due_is_refused_whole(due: Kind, answer: bytes, says: str) -> None:
    inbox = Inbox(np.arange(1, 6), np.zeros(2), due, round=6)
    with pytest.raises(WireError, match=says):
        inbox.admit(FIRST, answer)
    assert not len(inbox.workers)
    assert due is not Kind.TALLY or cast(Tally, inbox.messages()).voters == 0
