"""Bytes of frames: the lengths of real ones, in the numbers that docs/engines.md names."""

import numpy as np
import pytest
from small import Setup, problem

from holdfast.engines import train, wire
from holdfast.engines.traffic import expected
from holdfast.engines.wire import HEADER_BYTES, Kind, message_bytes
from holdfast.methods import Rsa


@pytest.mark.parametrize("dimension", [1, 63, 64, 65, 7850])
def test_lengths_by_hand(dimension: int) -> None:
    width = 8 * -(-dimension // 64)
    assert message_bytes(Kind.MODEL, dimension, np.float64) == HEADER_BYTES + 8 * dimension
    assert message_bytes(Kind.GRADIENT, dimension, np.float32, count=3) == HEADER_BYTES + 12 * dimension
    assert message_bytes(Kind.SIDES, dimension) == HEADER_BYTES + width
    assert message_bytes(Kind.TALLY, dimension, count=300) == HEADER_BYTES + 9 * width


def test_the_paper_s_numbers() -> None:
    assert expected(Kind.MODEL, 7850, np.float32, rounds=5000, voters=20) == (31444, 31444)
    bits = expected(Kind.SIDES, 7850, np.float32, rounds=5000, voters=20)
    assert (bits.up, round(bits.down)) == (1028, 5277)


@pytest.mark.parametrize("messages", ["full", "bits"])
def test_what_is_expected_of_workers_that_are_alone_is_what_crosses(messages: str) -> None:
    """But for the way up of bits: a member answers with a tally of its own, here of one voter, as long as its bits."""
    setup = Setup(Rsa(penalty=0.05, messages=messages))  # type: ignore[arg-type]
    there, _ = setup.remote(members=7)
    list(train(setup.master, there, setup.start(), range(103)))
    kind = Kind.SIDES if messages == "bits" else Kind.MODEL
    assert there.traffic == pytest.approx(expected(kind, len(problem().start()), np.float32, rounds=103, voters=7))
    assert len(wire.model(problem().start(), 0)) == 104
