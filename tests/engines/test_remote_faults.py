"""Members are lost, late, or answer nonsense: the run goes on or stops with one line, and is never wrong."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from loopback import Fate, Tamper, changed
from small import Setup, problem

from holdfast import attacks
from holdfast.attacks import LocalAttack, LocalView
from holdfast.engines import Simulated, train, wire
from holdfast.engines.engine import FAULTS
from holdfast.engines.remote import Remote, member, roster
from holdfast.engines.remote.inbox import Inbox
from holdfast.engines.remote.member import Attention, Post
from holdfast.engines.wire import Kind, WireError
from holdfast.engines.wire.packets import pack_error
from holdfast.errors import EngineError, InvalidInput, TooFew
from holdfast.methods import Rsa
from holdfast.methods.watchful import WatchfulRsa
from holdfast.typing import Rows, Sides, Tally, Vector

SETUP = Setup(attack=attacks.SignFlip(), byzantine=(2, 6))
BITS = replace(SETUP, method=Rsa(penalty=0.05, messages="bits"))
SIDES = replace(SETUP, method=WatchfulRsa(penalty=0.05, messages="bits"))
EACH = pytest.mark.parametrize("setup", [SETUP, BITS, SIDES], ids=["full", "bits", "sides"])


Acts = dict[int, Callable[[], Any]]


def learned(setup: Setup, engine: Remote | Simulated, rounds: int, acts: Acts | None = None) -> Vector:
    """Return the model after so many rounds; something may be done before some of them."""
    state = setup.start()
    for round in range(rounds):
        (acts or {}).get(round, lambda: None)()
        state = setup.program.step(state, engine.exchange(state, round))
    model: Vector = state.model
    return model


def undisturbed(setup: Setup, rounds: int) -> bytes:
    return bytes(learned(setup, setup.simulated(), rounds).tobytes())


@EACH
def test_a_lost_member_is_replaced_and_the_run_ends_as_if_it_had_lived(setup: Setup) -> None:
    """Once before any state was kept, once after: the second time only the rounds since are played again."""
    there, transport = setup.remote()
    acts: Acts = {3: lambda: transport.kill(0), 6: lambda: there.state, 8: lambda: transport.kill(1)}
    assert learned(setup, there, 12, acts).tobytes() == undisturbed(setup, 12)
    assert transport.replaced == [0, 1]
    assert there.absent == 0
    replays = [wire.unpack(request) for _, request in transport.requests if wire.unpack(request).kind == "replay"]
    assert [list(replay.arrays) for replay in replays] == [["0", "1", "2"], ["6", "7"]]
    assert there.faults == ["round 4: workers 1 to 4: it died", "round 9: workers 5 to 7: it died"]


@EACH
@pytest.mark.parametrize("kind", ["play", "replay", "load", "state", "total", "squares"])
def test_a_member_may_die_at_any_request(setup: Setup, kind: str) -> None:
    there, transport = setup.remote()
    begun: Acts = {3: lambda: setattr(transport, "tamper", changed(1, kind, lambda _: Fate.DIES))}
    if kind in ("replay", "load"):
        begun |= {4: lambda: transport.kill(1)}
    model = learned(setup, there, 6, begun)
    here = setup.simulated()
    assert model.tobytes() == learned(setup, here, 6).tobytes()
    assert [part.tobytes() for part in there.spread(model)] == [part.tobytes() for part in here.spread(model)]
    assert there.state.model.tobytes() == here.state.model.tobytes()
    assert transport.replaced == ([1, 1] if kind in ("replay", "load") else [1])


def test_a_member_that_dies_again_and_again_ends_the_run() -> None:
    there, transport = SETUP.remote()
    transport.tamper = changed(0, "play", lambda _: Fate.DIES, times=99)
    with pytest.raises(EngineError, match="workers 1 to 4: lost 6 times before round 1 was over; the last time: it di"):
        learned(SETUP, there, 3)
    assert len(transport.replaced) == roster.LIVES


def test_deaths_before_a_state_was_kept_do_not_count() -> None:
    there, transport = SETUP.remote()
    acts: Acts = {}
    for round in range(2, 20, 2):
        acts |= {round: lambda: transport.kill(0), round + 1: lambda: there.state}
    assert learned(SETUP, there, 20, acts).tobytes() == undisturbed(SETUP, 20)
    assert len(transport.replaced) == 9


@EACH
def test_a_round_goes_on_without_who_is_late_and_with_who_comes_back(setup: Setup) -> None:
    there, transport = setup.remote(timeout=0.0)
    model, seen = problem().start(), []
    state = setup.start()
    for round in range(8):
        if round == 2:
            transport.tamper = changed(1, "play", lambda _: Fate.HANGS)
        if round == 5:
            transport.release(1)
        received = there.exchange(state, round)
        seen.append(len(received.workers))
        assert received.workers.tolist() == list(range(1, seen[-1] + 1))
        if isinstance(received.rows, Tally):
            assert received.rows.voters == seen[-1]
        if isinstance(received.rows, Sides):
            assert received.rows.bits.shape == (seen[-1], 8)
        state = setup.program.step(state, received)
    assert seen == [7, 7, 4, 4, 4, 7, 7, 7]
    assert there.absent == 3 * 3
    assert transport.kinds(1).count("play") == 6  # nothing was sent while an answer was under way
    assert not transport.replaced
    assert state.model.shape == model.shape


def late_in(round: int) -> Tamper:
    """Return what holds back the answer of member 1 to its request of this round."""
    played = -1

    def tamper(member: int, kind: str, answer: bytes) -> bytes | Fate:
        nonlocal played
        played += (member, kind) == (1, "play")
        return Fate.HANGS if (member, kind, played) == (1, "play", round) else answer

    return tamper


def test_a_late_member_that_dies_is_replaced_with_the_rounds_it_was_sent() -> None:
    """It is sent rounds 0 to 2 and is late in 2; so its state is that after playing these, as if it had come back."""
    (late, first), (dead, second) = SETUP.remote(timeout=0.0), SETUP.remote(timeout=0.0)
    for engine, transport, act in ((late, first, first.release), (dead, second, second.kill)):
        transport.tamper = late_in(2)
        learned(SETUP, engine, 7, {5: partial(act, 1)})
    assert second.replaced == [1]
    assert late.state.model.tobytes() == dead.state.model.tobytes()


def test_who_is_still_late_when_states_are_needed_is_replaced() -> None:
    there, transport = SETUP.remote(timeout=0.0)
    transport.tamper = changed(0, "play", lambda _: Fate.HANGS)
    learned(SETUP, there, 1)
    assert there.absent == 4
    here = SETUP.simulated()
    learned(SETUP, here, 1)
    assert there.state.model.tobytes() == here.state.model.tobytes()  # it has played the round again
    assert transport.replaced == [0]


@EACH
@pytest.mark.parametrize("why", ["late", "nonsense"])
def test_too_few_answers_stop_the_run_where_it_was_before_the_round(setup: Setup, why: str) -> None:
    there, transport = setup.remote(timeout=0.0, least=5)
    here = setup.simulated()
    state = setup.start()
    for round in range(4):
        there.exchange(state, round)
        state = setup.program.step(state, here.exchange(state, round))
    transport.tamper = changed(1, "play", lambda _: Fate.HANGS if why == "late" else b"nonsense")
    with pytest.raises(TooFew, match="round 5 needs answers of at least 5 workers; got 4"):
        there.exchange(state, 4)
    assert transport.replaced == ([1] if why == "late" else [])
    transport.kill(0)
    assert there.state.model.tobytes() == here.state.model.tobytes()
    for round in range(4, 8):
        received = there.exchange(state, round)
        state = setup.program.step(state, here.exchange(state, round))
        assert len(received.workers) == 7
    assert there.state.model.tobytes() == here.state.model.tobytes()


ROWS = np.zeros((3, 15), np.float32)
TALLY = Tally(np.zeros(15, np.uint8), 3)
NONSENSE = {
    "nothing": (b"", "at least 44 bytes; got 0"),
    "bytes": (b"\x80\x04\x95" + bytes(100), "must begin with"),
    "pickle": (b"cos\nsystem\n(S'true'\ntR." + bytes(50), "must begin with"),
    "another kind": (wire.floats(Kind.GRADIENT, ROWS, 4), "must be of kind .*; got GRADIENT"),
    "another round": (wire.floats(Kind.MODEL, ROWS, 3), "round 4 and 3 workers; got 3 and 3"),
    "another count": (wire.floats(Kind.MODEL, ROWS[:2], 4), "round 4 and 3 workers; got 4 and 2"),
    "another shape": (wire.floats(Kind.MODEL, ROWS[:, :14].copy(), 4), "must have dimension 15; got 14"),
    "nobody": (wire.pack("nobody"), "must be of 3 workers; got an answer of no worker"),
    "another packet": (wire.pack("state", model=ROWS), "must be of kind nobody; got state"),
    "a cut packet": (wire.pack("state", model=ROWS)[:-1], "must match its checksum"),
}
BITS_OF_THREE = np.zeros((3, 8), np.uint8)
BEYOND = wire.encode(wire.Frame(Kind.SIDES, 0, 4, 15, 3, BITS_OF_THREE + 128))
FOR_NUMBERS = {"bits": (wire.sides(BITS_OF_THREE, 15, 4), "must be of kind .*; got SIDES")}
FOR_ROWS = FOR_NUMBERS | {
    "another type": (wire.floats(Kind.MODEL, ROWS.astype(np.float64), 4), "must be of type float32; got float64"),
    "a tally": (wire.tally(TALLY, 4), "must be of kind MODEL; got TALLY"),
}
FOR_BITS = FOR_NUMBERS | {"rows": (wire.floats(Kind.MODEL, ROWS, 4), "must be of kind TALLY; got MODEL")}
FOR_SIDES = {
    "rows": (wire.floats(Kind.MODEL, ROWS, 4), "must be of kind SIDES; got MODEL"),
    "a tally": (wire.tally(TALLY, 4), "must be of kind SIDES; got TALLY"),
    "bits of another round": (wire.sides(BITS_OF_THREE, 15, 3), "round 4 and 3 workers; got 3 and 3"),
    "bits of another count": (wire.sides(BITS_OF_THREE[:2], 15, 4), "round 4 and 3 workers; got 4 and 2"),
    "bits of another model": (wire.sides(BITS_OF_THREE, 14, 4), "must have dimension 15; got 14"),
    "bits beyond the model": (BEYOND, "bits beyond the dimension 15 must be 0"),
}


@pytest.mark.parametrize(
    ("setup", "answer", "says"),
    [
        pytest.param(setup, *case, id=f"{name}, {what}")
        for name, setup, cases in (
            ("full", SETUP, NONSENSE | FOR_ROWS),
            ("bits", BITS, NONSENSE | FOR_BITS),
            ("sides", SIDES, NONSENSE | FOR_SIDES),
        )
        for what, case in cases.items()
    ],
)
def test_an_answer_that_cannot_be_used_makes_its_workers_absent(setup: Setup, answer: bytes, says: str) -> None:
    there, transport = setup.remote()
    seen: list[int] = []
    state = setup.start()
    for round in range(8):
        if round == 4:
            transport.tamper = changed(1, "play", lambda _: answer)
        received = there.exchange(state, round)
        seen.append(len(received.workers))
        state = setup.program.step(state, received)
    assert seen == [7, 7, 7, 7, 4, 7, 7, 7]
    assert there.absent == 3
    assert state.model.dtype == np.float32
    (fault,) = there.faults
    assert fault.startswith("round 5: workers 5 to 7: ")
    assert "\n" not in fault
    assert re.search(says, fault), fault
    assert not transport.replaced


def test_if_nobody_answers_what_can_be_used_the_run_stops() -> None:
    there, transport = SETUP.remote()
    transport.tamper = lambda member, kind, answer: b"nonsense" if kind == "play" else answer
    with pytest.raises(TooFew, match="round 1 needs answers of at least 1 workers; got 0"):
        learned(SETUP, there, 1)


def test_the_latest_faults_are_remembered() -> None:
    there, transport = SETUP.remote()
    transport.tamper = changed(0, "play", lambda _: b"nonsense", times=999)
    learned(SETUP, there, FAULTS + 20)
    assert len(there.faults) == FAULTS
    assert there.faults[-1].startswith(f"round {FAULTS + 20}: workers 1 to 4: ")


@pytest.mark.parametrize(
    "tamper",
    [
        changed(1, "state", lambda _: b"nonsense"),
        changed(1, "state", lambda _: wire.pack("state", model=np.zeros((2, 15), np.float32))),
        changed(1, "state", lambda _: wire.pack("state", model=np.zeros((3, 15)))),
        changed(1, "state", lambda _: wire.pack("state")),
        changed(1, "total", lambda _: wire.pack("sum", sum=np.zeros(14))),
        changed(1, "total", lambda _: wire.pack("sum")),
        changed(0, "squares", lambda _: wire.pack("squares", squares=np.zeros(9))),
        changed(0, "squares", lambda _: wire.pack("done")),
        changed(0, "who", lambda _: wire.pack("process", number=1.5)),
    ],
)
def test_whatever_else_cannot_be_used_is_asked_again_of_a_new_member(tamper: Tamper) -> None:
    there, transport = SETUP.remote()
    here = SETUP.simulated()
    model = learned(SETUP, here, 3)
    learned(SETUP, there, 3)
    transport.tamper = tamper
    assert there.state.model.tobytes() == here.state.model.tobytes()
    assert [part.tobytes() for part in there.spread(model)] == [part.tobytes() for part in here.spread(model)]
    assert len(there.processes()) == 2
    assert len(transport.replaced) == len(there.faults) == 1


@dataclass(frozen=True)
class Failing(LocalAttack):
    """Go wrong in round 2."""

    error: Exception

    def __call__(self, view: LocalView, /) -> Rows:
        if view.round == 2:
            raise self.error
        return view.own


def test_what_a_station_s_attack_says_reaches_the_user_in_one_line() -> None:
    there, _ = replace(SETUP, attack=Failing(InvalidInput("failing needs\nanother round; got 2"))).remote()
    with pytest.raises(InvalidInput, match=r"^failing needs another round; got 2$"):
        learned(SETUP, there, 4)


def test_what_goes_wrong_in_a_station_otherwise_makes_its_workers_absent() -> None:
    there, transport = replace(SETUP, attack=Failing(KeyError("x")), byzantine=(2,)).remote()
    learned(SETUP, there, 4)
    assert there.absent == 4
    assert there.faults == ["round 3: workers 1 to 4: an answer must be of kind nobody; got an error: KeyError: 'x'"]
    assert not transport.replaced


def test_if_that_happens_to_all_the_run_stops_and_says_it() -> None:
    there, _ = replace(SETUP, attack=Failing(KeyError("x"))).remote()
    with pytest.raises(TooFew, match=r"got 0; last fault: round 3: workers 5 to 7: .* got an error: KeyError: 'x'$"):
        learned(SETUP, there, 4)


@pytest.mark.parametrize("error", [InvalidInput("\x1b[31mred"), KeyError("x")])
def test_an_error_of_a_stranger_is_an_answer_that_cannot_be_used(error: Exception) -> None:
    there, _ = replace(SETUP, attack=Failing(error), byzantine=(2,)).remote(trusted=False)
    learned(SETUP, there, 4)
    assert there.absent == 4
    (fault,) = there.faults
    assert fault.startswith("round 3: workers 1 to 4: an answer must be of kind nobody; got an error: ")
    assert fault.isprintable()


def test_a_stranger_that_lost_track_of_x0_is_sent_it_again() -> None:
    there, transport = BITS.remote(trusted=False)
    there.start()
    learned(BITS, there, 6, {3: transport.running[1]._follower.forget})
    assert there.absent == 3
    (fault,) = there.faults
    assert "got an error: a tally must be of round -1, whose x0 is known; got round 2" in fault


def test_the_answers_of_a_replaced_member_are_dropped() -> None:
    _, transport = SETUP.remote()
    transport.start()
    post = Post(transport)
    for number in (1, 0):
        post.send(number, wire.pack("who"))
    assert post.wait((0,), None) is not None
    post.replace(1)
    assert post.wait((1,), 0.0) is None


def test_a_member_that_cannot_start_is_said() -> None:
    there, transport = SETUP.remote()
    transport.tamper = changed(1, "who", lambda _: Fate.DIES, times=99)
    with pytest.raises(InvalidInput, match="every shard must be able to start; got it died"):
        there.start()
    assert transport.replaced == [1] * roster.LIVES


def test_a_member_that_says_why_it_cannot_start_is_not_tried_again() -> None:
    there, transport = SETUP.remote()
    transport.tamper = changed(1, "who", lambda _: pack_error(InvalidInput("data must be there; got none")))
    with pytest.raises(InvalidInput, match=r"^every shard must be able to start; got data must be there; got none$"):
        there.start()
    assert not transport.replaced


@EACH
@pytest.mark.parametrize("fate", [Fate.DIES, b"nonsense"])
def test_a_member_that_is_killed_while_it_starts_is_replaced(setup: Setup, fate: bytes | Fate) -> None:
    there, transport = setup.remote()
    transport.tamper = changed(1, "who", lambda _: fate, times=2)
    assert learned(setup, there, 3).tobytes() == undisturbed(setup, 3)
    assert transport.replaced == [1, 1]
    assert [fault.startswith("round 0: workers 5 to 7: ") for fault in there.faults] == [True, True]


@EACH
@pytest.mark.parametrize("why", ["late", "nonsense"])
@pytest.mark.parametrize(("kind", "times"), [("load", 1), ("replay", 1), ("state", 1), ("state", 3)])
@pytest.mark.parametrize("member", [0, 1])
def test_a_death_after_too_few_answers_replays_no_round_too_many(
    setup: Setup, why: str, kind: str, times: int, member: int
) -> None:
    """While the workers go back, or while their states are gathered for the checkpoint."""
    there, transport = setup.remote(timeout=0.0, least=5)
    here = setup.simulated()
    state = setup.start()
    for round in range(4):
        there.exchange(state, round)
        state = setup.program.step(state, here.exchange(state, round))
    unanswered = changed(1, "play", lambda _: Fate.HANGS if why == "late" else b"nonsense")
    dying = changed(member, kind, lambda _: Fate.DIES, times)

    def both(member: int, kind: str, answer: bytes) -> bytes | Fate:
        fate = unanswered(member, kind, answer)
        return fate if isinstance(fate, Fate) else dying(member, kind, fate)

    transport.tamper = both
    with pytest.raises(TooFew):
        there.exchange(state, 4)
    assert there.state.model.tobytes() == here.state.model.tobytes()
    assert there.absent == 0
    assert transport.replaced.count(member) >= times


@EACH
def test_two_answers_to_one_request_are_named_and_never_read_twice(setup: Setup) -> None:
    """What comes then is always the answer to the round before, until states are gathered and the member replaced."""
    there, transport = setup.remote()
    answers: dict[int, bytes] = {}

    def remembered(member: int, kind: str, answer: bytes) -> bytes:
        answers[member] = answer
        return answer

    transport.tamper = remembered
    state, seen = setup.start(), []
    for round in range(7):
        if round == 2:
            transport.deliver(1, answers[1])
        received = there.exchange(state, round)
        seen.append(len(received.workers))
        state = setup.program.step(state, received)
        if round == 4:
            assert there.state is not None
    assert seen == [7, 7, 4, 4, 4, 7, 7]
    assert there.faults[0] == "round 3: workers 5 to 7: an answer must be of round 2 and 3 workers; got 1 and 3"
    assert transport.replaced == [1]


def test_an_answer_that_nobody_asked_for_is_dropped_and_named() -> None:
    there, transport = SETUP.remote()
    learned(SETUP, there, 2)
    transport.deliver(1, wire.floats(Kind.MODEL, ROWS, 2))
    there._roster._post.wait((0,), 0.0)
    extra = "an answer must be to a request; got one more, which is dropped"
    assert there.faults == [f"round 2: workers 5 to 7: {extra}"]
    assert len(there.exchange(SETUP.start(), 2).workers) == 7


def test_a_second_answer_is_not_counted() -> None:
    inbox = Inbox(np.arange(1, 8), np.zeros(15, np.float32), Kind.TALLY, 4)
    inbox.admit(np.arange(5, 8), wire.tally(TALLY, 4))
    with pytest.raises(WireError, match="a member must answer once"):
        inbox.admit(np.arange(5, 8), wire.tally(TALLY, 4))
    assert cast(Tally, inbox.messages()).voters == 3


class Clock:
    """Time that passes when it is looked at."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 1000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "load",
            "workers 5 to 7 to be ready again: nobody knows why; where there are too few, resume with --shards 1 o",
        ),
        ("play", "workers 5 to 7 in round 3"),
        ("state", "state of workers 5 to 7"),
    ],
)
def test_who_waits_says_for_what_and_stops_when_asked(monkeypatch: pytest.MonkeyPatch, kind: str, text: str) -> None:
    there, transport = SETUP.remote()
    said: list[str] = []
    stopping = False
    there.attend(lambda: stopping, said.append)
    learned(SETUP, there, 2)
    transport.tamper = changed(1, kind, lambda _: Fate.HANGS)
    if kind == "load":
        transport.kill(1)
    transport.patient = 6
    monkeypatch.setattr(member, "monotonic", Clock(20.0))

    def stop() -> None:
        nonlocal stopping
        stopping = any(line.startswith("waiting") for line in said)

    transport.watched = stop
    with pytest.raises(EngineError, match=f"^asked to stop while waiting for {text}"):
        assert there.state if kind == "state" else there.exchange(SETUP.start(), 2)
    assert [line for line in said if line.startswith("waiting")] == said[-1:]
    assert said[-1].startswith(f"waiting for {text}")


def test_what_is_waited_for_is_said_again_when_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, said = Attention(), list[str]()
    watch.say = said.append
    monkeypatch.setattr(member, "monotonic", Clock(member.SOON + 1))
    reasons = iter(["two processors", "two processors", "one processor"])
    meanwhile = watch.await_start(lambda: next(reasons))
    for _ in range(3):
        meanwhile()
    assert said == ["waiting for two processors", "waiting for one processor"]


def test_a_first_fault_is_said_and_the_others_are_kept() -> None:
    there, transport = SETUP.remote()
    said: list[str] = []
    there.attend(lambda: False, said.append)
    transport.tamper = changed(1, "play", lambda _: b"nonsense", times=3)
    learned(SETUP, there, 5)
    assert len(there.faults) == 3
    assert said == there.faults[:1]


def test_those_who_compute_are_given_the_time_that_a_round_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Attention()
    watch.stopping = lambda: True
    watch.slowest = 30.0
    times = iter([0.0, 1.0, 15.0, 31.0, 33.0, 34.0, 34.0])
    monkeypatch.setattr(member, "monotonic", lambda: next(times))
    meanwhile = watch.await_answer(lambda: "them")
    for _ in range(3):
        meanwhile()
    with pytest.raises(EngineError):
        meanwhile()
    with pytest.raises(EngineError):
        watch.await_start(lambda: "them")()


def test_a_new_member_that_never_answers_ends_the_run() -> None:
    there, transport = SETUP.remote(timeout=0.0)
    learned(SETUP, there, 2)
    transport.kill(0)
    transport.tamper = changed(0, "load", lambda _: Fate.HANGS)
    with pytest.raises(EngineError, match="workers 1 to 4 must be ready again within 300 seconds; got no answer"):
        there.exchange(SETUP.start(), 2)


def test_a_shared_error_leaves_the_others_waited_for() -> None:
    """After an error in the middle of a round, answers under way are known to be under way."""
    there, _ = replace(SETUP, attack=Failing(InvalidInput("no"))).remote()
    with pytest.raises(InvalidInput, match="no"):
        list(train(SETUP.program, there, SETUP.start(), range(4)))
    assert there._members[1].late
