"""Bytes of frames: the lengths of real ones, in the numbers that docs/engines.md names."""

from functools import partial

import numpy as np
import pytest
from small import Setup, problem

from holdfast.engines import train, wire
from holdfast.engines.remote.following import expect_traffic
from holdfast.engines.wire import HEADER_BYTES, Kind, message_bytes
from holdfast.methods import Rsa
from holdfast.methods.watchful import WatchfulRsa


@pytest.mark.parametrize("dimension", [1, 63, 64, 65, 7850])
def test_lengths_by_hand(dimension: int) -> None:
    width = 8 * -(-dimension // 64)
    assert message_bytes(Kind.MODEL, dimension, np.float64) == HEADER_BYTES + 8 * dimension
    assert message_bytes(Kind.GRADIENT, dimension, np.float32, count=3) == HEADER_BYTES + 12 * dimension
    assert message_bytes(Kind.SIDES, dimension) == HEADER_BYTES + width
    assert message_bytes(Kind.TALLY, dimension, count=300) == HEADER_BYTES + 9 * width


def test_the_paper_s_numbers() -> None:
    of = partial(expect_traffic, dimension=7850, dtype=np.float32, rounds=5000, voters=20)
    assert of(Kind.MODEL, follow=False) == (31444, 31444)
    counted = of(Kind.SIDES, follow=True)
    assert (counted.up, round(counted.down)) == (1028, 5277)
    assert of(Kind.SIDES, follow=False) == (1028, 31444)


@pytest.mark.parametrize("method", [Rsa, WatchfulRsa])
@pytest.mark.parametrize("messages", ["full", "bits"])
def test_what_is_expected_of_workers_that_are_alone_is_what_crosses(method: type[Rsa], messages: str) -> None:
    """For bits that are counted, a member answers with a tally of its own, here of one voter, as long as its bits."""
    setup = Setup(method(penalty=0.05, messages=messages))  # type: ignore[arg-type]
    there, _ = setup.remote(members=7)
    list(train(setup.program, there, setup.start(), range(103)))
    bits = messages == "bits"
    due = expect_traffic(
        Kind.SIDES if bits else Kind.MODEL, 15, np.float32, rounds=103, voters=7, follow=bits and method is Rsa
    )
    assert there.traffic == pytest.approx(due)
    assert len(wire.model(problem().start(), 0)) == 104
