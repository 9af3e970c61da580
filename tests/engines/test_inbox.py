"""What comes in during a round."""

import numpy as np
import pytest

from holdfast.engines import wire
from holdfast.engines.remote.inbox import Inbox
from holdfast.engines.wire import Kind, WireError
from holdfast.typing import Tally

FIRST, SECOND = np.array([1, 2, 3]), np.array([4, 5])


def test_rows_stand_in_the_workers_order_however_they_came() -> None:
    inbox = Inbox(np.array([1, 3, 4, 5]), 2, round=6)
    inbox.admit(SECOND, wire.floats(Kind.MODEL, np.array([[4.0, 4.0], [5.0, 5.0]]), 6))
    inbox.admit(FIRST, wire.floats(Kind.MODEL, np.array([[1.0, 1.0], [3.0, 3.0]]), 6))
    found = inbox.rows()
    assert found is not None
    assert found[0][:, 0].tolist() == found[1].tolist() == [1, 3, 4, 5]
    assert inbox.heard == 4


def test_tallies_add_up() -> None:
    inbox = Inbox(np.arange(1, 6), 2, round=6)
    inbox.admit(FIRST, wire.tally(Tally(np.array([3, 0], np.uint8), 3), 6))
    assert inbox.heard == 3
    inbox.admit(SECOND, wire.tally(Tally(np.array([1, 2], np.uint8), 2), 6))
    assert inbox.rows() is None
    assert inbox.tally().ones.tolist() == [4, 2]
    assert inbox.tally().voters == inbox.heard == 5


@pytest.mark.parametrize(("round", "voters"), [(5, 3), (6, 2), (7, 3)])
def test_another_round_or_another_number_of_voters_is_refused(round: int, voters: int) -> None:
    inbox = Inbox(np.arange(1, 6), 2, round=6)
    with pytest.raises(WireError, match=f"must be of round 6 and 3 workers; got {round} and {voters}"):
        inbox.admit(FIRST, wire.tally(Tally(np.zeros(2, np.uint8), voters), round))
