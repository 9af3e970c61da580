"""A remote engine learns what the simulation learns, bit for bit, however the workers are divided."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from small import Setup, problem

from holdfast import aggregators, attacks
from holdfast.engines import Recorder, train, wire
from holdfast.engines.remote import remote_engine
from holdfast.engines.wire import Kind
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, GradientWorker, IdealRsa, PenalisedWorker, Rsa, Served, WithMomentum
from holdfast.methods.penalties import L1, L2
from holdfast.methods.schedules import Constant
from holdfast.methods.watchful import WatchfulRsa
from holdfast.states import arrays_of
from holdfast.typing import Sides, Tally

ATTACKED = Setup(attack=attacks.SignFlip(), byzantine=(2, 6))
BITS = Rsa(penalty=0.05, messages="bits")
SIDES = WatchfulRsa(penalty=0.05, messages="bits")


def agree(setup: Setup, members: int, rounds: int = 4) -> None:
    """Play both engines side by side: what is received, states, spreads and models are the same bits."""
    here, (there, _) = setup.simulated(), setup.remote(members)
    state = setup.start()
    for round in range(rounds):
        expected, received = here.exchange(state, round), there.exchange(state, round)
        assert received.workers.tolist() == expected.workers.tolist() == here.select_workers(round).tolist()
        assert (received.round, received.seed) == (expected.round, expected.seed)
        if isinstance(expected.rows, Tally):
            assert isinstance(received.rows, Tally)
            assert received.rows.voters == expected.rows.voters
            np.testing.assert_array_equal(received.rows.ones, expected.rows.ones)
        elif isinstance(expected.rows, Sides):
            assert isinstance(received.rows, Sides)
            assert received.rows.dimension == expected.rows.dimension
            np.testing.assert_array_equal(received.rows.bits, expected.rows.bits)
        else:
            assert isinstance(received.rows, np.ndarray)
            assert received.rows.tobytes() == expected.rows.tobytes()
            assert received.rows.dtype == expected.rows.dtype
        state = setup.program.step(state, received)
    for found, due in zip(there.spread(state.model), here.spread(state.model), strict=True):
        assert found.tobytes() == due.tobytes()
    assert same(there.state, here.state)
    assert there.absent == 0
    assert not there.faults


def same(one: Any, other: Any) -> bool:
    first, second = arrays_of(one), arrays_of(other)
    assert type(one) is type(other)
    return first.keys() == second.keys() and all(first[name].tobytes() == second[name].tobytes() for name in first)


@pytest.mark.parametrize("attack", [None, *attacks.REGISTRY.values()])
@pytest.mark.parametrize(
    "method", [Rsa(penalty=0.05), BITS, SIDES, Aggregated(aggregators.REGISTRY["median"]())], ids=str
)
def test_every_attack(method: Any, attack: Callable[[], attacks.Attack] | None) -> None:
    byzantine = () if attack is None else (6, 7)
    agree(Setup(method, attack and attack(), byzantine), members=2)


@pytest.mark.parametrize("rule", aggregators.REGISTRY.values())
def test_every_rule(rule: Any) -> None:
    most = (7 - rule.needs[1]) // rule.needs[0]  # that it bears among the 7 workers
    parameters = {field.name: min(most, 2) for field in fields(rule) if field.name in ("byzantine", "trim")}
    agree(replace(ATTACKED, method=Aggregated(rule(**parameters))), members=3)


@pytest.mark.parametrize("members", [1, 2, 3, 7, 99])
@pytest.mark.parametrize("method", [Rsa(penalty=0.05), BITS, SIDES], ids=str)
def test_every_division(method: Rsa, members: int) -> None:
    agree(replace(ATTACKED, method=method), members)


@pytest.mark.parametrize(
    "changes",
    [
        {"method": Rsa(norm=2.0, penalty=0.3)},
        {"method": Rsa(norm=float("inf"), penalty=1.0)},
        {"method": Rsa(penalty=0.05, ties="coin")},
        {"method": Rsa(penalty=0.05, reply="updated", local_steps=3)},
        {"method": BITS, "dtype": "float64"},
        {"method": SIDES, "dtype": "float64"},
        {"share": 0.4},
        {"share": 0.4, "method": SIDES},
        {"share": 0.1, "method": SIDES},
        {"share": 0.4, "method": BITS},
        {"share": 0.1, "method": BITS},  # one worker is asked: all other members have nobody to answer
        {"share": 0.1, "method": Rsa(penalty=0.05, ties="coin")},
        {"share": 0.3, "attack": attacks.Duplicate()},
        {"attack": attacks.Gaussian(), "byzantine": (5, 6, 7)},  # the last member has idle workers only
        {"attack": attacks.Duplicate(), "byzantine": (5, 6, 7), "method": BITS},
        {"attack": attacks.Gaussian(), "computing_always": True},
        {"attack": attacks.SameValue(float("nan")), "method": BITS},
        {"attack": None, "byzantine": (), "method": IdealRsa(penalty=0.05)},
        {"worker": WithMomentum(GradientWorker(), 0.5), "method": Aggregated(aggregators.Mean())},
        {"worker": WithMomentum(PenalisedWorker(L1(0.05), Constant(0.1)), 0.5), "share": 0.5},
    ],
    ids=str,
)
def test_every_variant(changes: dict[str, Any]) -> None:
    agree(replace(ATTACKED, **changes), members=3, rounds=6)


def test_x0_is_followed_and_checked_over_many_rounds() -> None:
    agree(replace(ATTACKED, method=BITS), members=2, rounds=105)


@pytest.mark.parametrize("worker", [None, WithMomentum(PenalisedWorker(L2(0.05), Constant(0.1)), 0.5)])
def test_a_state_is_gathered_and_goes_on_in_another_division(worker: Any) -> None:
    setup = replace(ATTACKED, worker=worker)
    (first, _), (second, _), here = setup.remote(2), setup.remote(3), setup.simulated()
    *_, state = train(setup.program, first, setup.start(), range(5))
    second.state = first.state
    *_, there = train(setup.program, second, state, range(5, 9))
    *_, expected = train(setup.program, here, setup.start(), range(9))
    assert there.model.tobytes() == expected.model.tobytes()
    assert same(second.state, here.state)


@pytest.mark.parametrize("method", [Rsa(penalty=0.05), BITS, SIDES], ids=str)
def test_a_state_may_be_set_in_the_middle_and_is_what_lost_members_go_back_to(method: Rsa) -> None:
    """Round 4 is played twice, from other models and states: nothing of the first time is left."""
    setup = replace(ATTACKED, method=method)
    there, transport = setup.remote()
    here = setup.simulated()
    list(train(setup.program, there, setup.start(), range(5)))
    there.state = here.state
    state = setup.program.init(problem().start() + 1)
    for round in range(4, 9):
        if round in (4, 7):
            transport.kill(1)
        there.exchange(state, round)
        state = setup.program.step(state, here.exchange(state, round))
    assert same(there.state, here.state)


def test_a_state_of_other_workers_is_refused() -> None:
    there, _ = ATTACKED.remote()
    with pytest.raises(InvalidInput, match="a state must have 7 rows, one per worker; got 5 of model"):
        there.state = ATTACKED.simulated().state._replace(model=np.zeros((5, 15), np.float32))


def test_the_log_is_bounded_and_states_are_kept_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    there, transport = ATTACKED.remote()
    monkeypatch.setattr(remote_engine, "LOG_BYTES", 3 * problem().start().nbytes)
    for round, _ in enumerate(train(ATTACKED.program, there, ATTACKED.start(), range(12))):
        assert len(there._roster.log) <= 4
        if round == 9:
            transport.kill(1)
    assert transport.kinds(0).count("state") == 2
    assert same(there.state, played(ATTACKED, 12))


def played(setup: Setup, rounds: int) -> Any:
    engine = setup.simulated()
    list(train(setup.program, engine, setup.start(), range(rounds)))
    return engine.state


def test_bits_cross_as_counts_or_bits_and_models_as_models() -> None:
    """4 and 3 workers on 15 coordinates: 3 and 2 bits per count, 8 bytes per plane; a model takes 60 bytes."""
    for method, up in ((BITS, (3 + 2) * 8), (SIDES, 7 * 8), (Rsa(penalty=0.05), 7 * 60)):
        setup = Setup(method)
        there, transport = setup.remote()
        there.exchange(setup.start(), 0)
        assert (there.crossed_up, there.crossed_down) == (2 * 44 + up, 2 * (44 + 60))
        assert there.traffic == ((2 * 44 + up) / 7, 2 * (44 + 60) / 7)
        requests = [request for _, request in transport.requests[-2:]]
        assert requests[0] is requests[1]  # one object for all, so that a transport can share it


def test_nothing_is_played_to_know_who_is_asked() -> None:
    there, transport = replace(ATTACKED, share=0.4).remote()
    assert there.select_workers(3).tolist() == replace(ATTACKED, share=0.4).simulated().select_workers(3).tolist()
    assert not transport.requests


def test_x0_itself_is_sent_to_those_whose_bits_may_weigh_differently() -> None:
    there, transport = Setup(SIDES).remote()
    list(train(Setup(SIDES).program, there, Setup(SIDES).start(), range(3)))
    for _, request in transport.requests[-2:]:
        assert [wire.decode(frame).kind for name, frame in wire.unpack(request).arrays.items() if name != "round"] == [
            Kind.MODEL
        ]


def test_a_recorder_remembers_rows_even_of_some_but_no_tally() -> None:
    recorder = Recorder(replace(ATTACKED, share=0.4).simulated())
    assert recorder.last is None
    state = Served(problem().start())
    received = recorder.exchange(state, 0)
    assert recorder.last is not None
    assert recorder.last.model is state.model
    assert recorder.last is received
    recorder.engine = Setup(BITS).simulated()
    recorder.exchange(state, 1)
    assert recorder.last is None
    recorder.engine = Setup(SIDES).simulated()
    received = recorder.exchange(state, 2)
    assert recorder.last is not None
    assert recorder.last is received
