"""Workers that are sent tallies hold the master's x0, bit for bit; and say so when they cannot."""

import numpy as np
import pytest

from holdfast.engines import wire
from holdfast.engines.remote.following import SNAPSHOT_EVERY, Announcer, Follower, choose_kinds
from holdfast.engines.wire import Kind, WireError
from holdfast.methods import InverseSqrt, Ridge, Rsa, Setting
from holdfast.typing import Messages, Tally

PROGRAM = Rsa(penalty=0.3, messages="bits").program(Setting(InverseSqrt(0.1), Ridge(0.01)))
D = 70


def a_tally(round: int) -> Tally:
    return Tally(np.random.default_rng(round).integers(0, 21, D, np.uint8), 20)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_who_follows_tallies_holds_x0_and_hears_it_now_and_then(dtype: type) -> None:
    announcer, follower, state = Announcer(follow=True), Follower(PROGRAM, D), PROGRAM.init(np.ones(D, dtype))
    lengths = []
    for round in range(2 * SNAPSHOT_EVERY + 5):
        frames = announcer.frames(round, wire.model(state.model, round))
        assert tuple(wire.decode(frame).kind for frame in frames) == choose_kinds(round, follow=True)
        lengths.append(len(frames))
        for frame in frames:
            follower.take(frame)
        assert follower.model(round).tobytes() == state.model.tobytes()
        messages = Messages(a_tally(round), np.arange(1, 21), round)
        announcer.note(messages)
        state = PROGRAM.step(state, messages)
    assert [round for round, length in enumerate(lengths) if length == 2] == [SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY]


def test_who_does_not_follow_is_sent_x0_every_time() -> None:
    announcer, whole = Announcer(follow=False), wire.model(np.ones(D), 1)
    announcer.note(Messages(a_tally(0), np.arange(1, 21), 0))
    assert announcer.frames(1, whole) == [whole]
    assert choose_kinds(1, follow=False) == (Kind.MODEL,)


def test_after_forgetting_x0_is_taken_whatever_it_is() -> None:
    follower = following(3)
    follower.forget()
    follower.take(wire.model(np.zeros(D), 3))
    assert not follower.model(3).any()


def test_a_master_that_has_counted_nothing_yet_sends_x0_in_any_round() -> None:
    whole = wire.model(np.ones(D), 501)
    assert Announcer(follow=True).frames(501, whole) == [whole]


def following(rounds: int) -> Follower:
    follower = Follower(PROGRAM, D)
    follower.take(wire.model(np.ones(D), 0))
    for round in range(rounds):
        follower.take(wire.tally(a_tally(round), round))
    return follower


def test_a_snapshot_that_differs_is_refused() -> None:
    follower = following(3)
    with pytest.raises(WireError, match="must be the x0 that was followed; got another in round 3"):
        follower.take(wire.model(np.nextafter(follower.model(3), 9.0), 3))


def test_who_missed_rounds_is_told_x0_and_goes_on() -> None:
    follower = following(3)
    with pytest.raises(WireError, match="tally must be of round 3, whose x0 is known; got round 5"):
        follower.take(wire.tally(a_tally(5), 5))
    with pytest.raises(WireError, match="must begin with its x0, of round 6; got that of round 3"):
        follower.model(6)
    follower.take(wire.model(np.zeros(D), 6))
    follower.take(wire.tally(a_tally(6), 6))
    assert follower.model(7).any()


def test_a_stale_tally_is_refused() -> None:
    with pytest.raises(WireError, match="tally must be of round 3, whose x0 is known; got round 2"):
        following(3).take(wire.tally(a_tally(2), 2))


def test_another_dimension_is_refused() -> None:
    with pytest.raises(WireError, match="must have dimension 70; got 71"):
        Follower(PROGRAM, D).take(wire.model(np.zeros(D + 1), 0))
