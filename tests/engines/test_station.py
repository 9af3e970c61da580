"""A station alone: bytes in, bytes out."""

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import Setup, problem

from holdfast import attacks
from holdfast.attacks import LocalAttack, LocalView
from holdfast.engines import wire
from holdfast.engines.remote import Station
from holdfast.engines.wire import Packet
from holdfast.methods import PenalisedWorker, Rsa, WithMomentum
from holdfast.methods.penalties import L1
from holdfast.methods.schedules import Constant
from holdfast.typing import Rows

SETUP = Setup(attack=attacks.SignFlip(), byzantine=(1, 6))
MOMENTUM = replace(SETUP, worker=WithMomentum(PenalisedWorker(L1(0.05), Constant(0.1)), 0.5))
FIRST = np.array([1, 2, 3, 4])
MODELS = np.random.default_rng(0).normal(size=(9, 15)).astype(np.float32)
PAST = {str(round): wire.model(MODELS[round], round) for round in range(3)}


def play(station: Station, round: int) -> bytes:
    return station.handle(wire.pack("play", round=round, frame0=wire.model(MODELS[round], round)))


def ask(station: Station, kind: str, **arrays: Any) -> Packet:
    return wire.unpack(station.handle(wire.pack(kind, **arrays)))


@pytest.mark.parametrize("setup", [SETUP, MOMENTUM, replace(SETUP, share=0.4)], ids=["plain", "momentum", "some"])
def test_it_goes_on_from_another_one_s_state_or_from_its_past(setup: Setup) -> None:
    first, second, third = (setup.station(FIRST) for _ in range(3))
    for round in range(3):
        play(first, round)
    kept = ask(first, "state")
    assert ask(second, "load", **kept.arrays) == ("done", {})
    assert ask(third, "replay", **PAST) == ("done", {})
    assert play(first, 3) == play(second, 3) == play(third, 3)
    for a, b, c in zip(*(ask(station, "state").arrays.values() for station in (first, second, third)), strict=True):
        assert a.tobytes() == b.tobytes() == c.tobytes()


def test_without_a_state_it_begins_again_whatever_it_followed() -> None:
    station = SETUP.station(FIRST)
    answers = [play(station, round) for round in range(3)]
    ask(station, "load")
    assert [play(station, round) for round in range(3)] == answers


def test_a_snapshot_that_differs_from_what_was_followed_is_an_error() -> None:
    station = replace(SETUP, method=Rsa(penalty=0.05, messages="bits")).station(FIRST)
    play(station, 0)
    kind, arrays = ask(station, "play", round=0, frame0=wire.model(MODELS[1], 0))
    assert kind == "invalid"
    assert arrays["text"].tobytes() == b"a snapshot must be the x0 that was followed; got another in round 0"


def test_it_says_who_it_is() -> None:
    assert int(ask(SETUP.station(FIRST), "who").arrays["number"]) == os.getpid()


@dataclass(frozen=True)
class Verbose(LocalAttack):
    """Say more than a line."""

    def __call__(self, view: LocalView, /) -> Rows:
        raise ValueError("two\nlines")


def test_an_error_is_one_line() -> None:
    answer = wire.unpack(play(replace(SETUP, attack=Verbose()).station(FIRST), 0))
    assert (answer.kind, answer.arrays["text"].tobytes()) == ("failed", b"ValueError: two lines")


def test_warming_up_changes_nothing() -> None:
    warm, cold = SETUP.station(FIRST), SETUP.station(FIRST)
    warm.warm_up(problem().start())
    assert play(warm, 0) == play(cold, 0)


@given(st.binary(max_size=60) | st.sampled_from(["play", "replay", "load", "dance"]).map(lambda k: wire.pack(k, x=1)))
def test_whatever_it_is_sent_it_answers(request: bytes) -> None:
    answer = wire.unpack(SETUP.station(FIRST).handle(request))
    assert answer.kind in ("invalid", "failed")
    assert b"\n" not in answer.arrays["text"].tobytes()
