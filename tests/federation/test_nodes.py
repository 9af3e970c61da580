"""A spec on nodes, one process each for every message, without a network: the simulation's trajectory bit for bit."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest

from holdfast import attacks
from holdfast.engines import wire
from holdfast.errors import InvalidInput
from holdfast.federation.checkpoint_files import Node
from holdfast.federation.federated_training import Round, build_station, resolve_numbers, train_federation
from holdfast.federation.postbox import Failure, Postbox
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Vector

SPEC = resolve_numbers(fill_defaults(Spec(data="digits", workers=4, rounds=4, eval_every=4, batch=8, method="rsa")))


class Local:
    """Nodes in this process, each built anew for every message, as Flower does; and faults to order."""

    def __init__(self, spec: Spec, folder: Path, byzantine: Mapping[int, str] | None = None) -> None:
        lies = byzantine or {}
        self.nodes = [
            Node(folder / str(worker), partial(build_station, spec, worker, attack=lies.get(worker)))
            for worker in range(1, spec.workers + 1)
        ]
        self.away: set[int] = set()
        self.tamper: Callable[[int, int, bytes], bytes | Failure | None] = lambda member, count, answer: answer
        self.letters: dict[str, bytes | Failure | None] = {}
        self.count = 0
        self.refused = 0

    def push(self, member: int, request: bytes) -> str:
        self.count += 1
        self.refused += member in self.away
        answer = Failure("node unavailable") if member in self.away else self.nodes[member].handle(request)
        if isinstance(answer, bytes):
            self.letters[str(self.count)] = self.tamper(member, self.count, answer)
        else:
            self.letters[str(self.count)] = answer
        return str(self.count)

    def pull(self, tickets: Collection[str]) -> dict[str, bytes | Failure]:
        return {ticket: self.letters.pop(ticket) for ticket in tickets if self.letters.get(ticket) is not None}  # type: ignore[misc]

    def list_connected(self) -> set[int]:
        return set(range(len(self.nodes))) - self.away


def played(spec: Spec, carrier: Local, **options: Any) -> list[Round]:
    return list(train_federation(spec, Postbox(carrier, interval=0.01), **options))


@pytest.mark.parametrize(
    "method",
    [
        "rsa",
        "rsa:messages=bits",
        "rsa:local_steps=3",
        "rsa:norm=1",
        "watchful-rsa:every=1",
        "watchful-rsa:every=1,messages=bits",
        "watch:every=1+median",
        "trimmed-mean",
        "nnm+median",
        "centered-clipping",
    ],
)
@pytest.mark.parametrize("attack", [None, "sign-flip", "gaussian", "label-flip"])
def test_every_method_equals_the_simulation(method: str, attack: str | None, tmp_path: Path) -> None:
    spec = resolve_numbers(fill_defaults(replace(SPEC, method=method, declared=1, rate=None)))
    rounds = played(spec, Local(spec, tmp_path, {4: attack} if attack else {}))
    simulated = run(replace(spec, attack=attack, byzantine=(4,) if attack else 0))
    assert rounds[-1].model.tobytes() == simulated.model.tobytes()
    assert rounds[-1].metrics["accuracy"] == simulated.accuracy
    assert [each.answered for each in rounds] == [4, 4, 4, 4]


@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits", "watchful-rsa:every=1,messages=bits"])
@pytest.mark.parametrize("lost", [0, 1])
def test_a_killed_server_goes_on_to_the_undisturbed_model(method: str, lost: int, tmp_path: Path) -> None:
    """It is killed after a round was saved, or, with `lost`, while the next one had been played by all nodes."""
    spec = resolve_numbers(fill_defaults(replace(SPEC, method=method, rate=None)))
    undisturbed = played(spec, Local(spec, tmp_path / "undisturbed"))[-1].model
    carrier = Local(spec, tmp_path / "nodes")
    rounds = train_federation(spec, Postbox(carrier, interval=0.01), folder=tmp_path)
    for _ in range(2):
        saved = next(rounds)
    kept = (tmp_path / "master.checkpoint").read_bytes()
    for _ in range(lost):
        next(rounds)
    rounds.close()
    (tmp_path / "master.checkpoint").write_bytes(kept)
    resumed = played(spec, Local(spec, tmp_path / "nodes"), folder=tmp_path)
    assert resumed[0].number == saved.number + 1
    assert resumed[-1].model.tobytes() == undisturbed.tobytes()


def test_another_spec_does_not_go_on(tmp_path: Path) -> None:
    played(SPEC, Local(SPEC, tmp_path / "nodes"), folder=tmp_path)
    with pytest.raises(InvalidInput, match="a federation resumes with the spec it began with"):
        played(replace(SPEC, seed=9), Local(SPEC, tmp_path / "nodes"), folder=tmp_path)


def test_a_node_that_is_away_misses_rounds_and_comes_back_from_its_checkpoint(tmp_path: Path) -> None:
    carrier = Local(SPEC, tmp_path)
    rounds = train_federation(SPEC, Postbox(carrier, interval=0.01), timeout=0.5)
    assert next(rounds).answered == 4
    carrier.away = {1}
    assert [next(rounds).answered for _ in range(2)] == [3, 3]
    assert carrier.refused == 1  # it is not asked again while it is away
    carrier.away = set()
    assert [each.answered for each in rounds] == [4]
    found = sorted(path.name for path in (tmp_path / "2").glob("*.checkpoint"))
    assert found == ["00000001.checkpoint", "00000004.checkpoint"]  # it went on from after the first round


BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "garbage": (lambda answer: b"x" * 999, "a frame must begin with"),
    "nothing": (lambda answer: b"", "a frame must have at least"),
    "wrong shape": (lambda answer: wire.model(np.zeros(3, np.float32), 2), "a frame must have dimension 650; got 3"),
    "old round": (lambda answer: wire.model(np.zeros(650, np.float32), 1), "an answer must be of round 2"),
    "another type": (lambda answer: wire.model(np.zeros(650), 2), "an answer must be of type float32; got float64"),
    "200 MB": (lambda answer: answer + bytes(200_000_000), "a frame must have the payload"),
    "an error": (lambda answer: wire.pack("failed", text=b"no\x1b[31m"), "got an error: no"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_replies_are_named_and_the_round_goes_on(name: str, tmp_path: Path) -> None:
    change, reason = BAD[name]
    carrier = Local(SPEC, tmp_path)
    rounds = train_federation(SPEC, Postbox(carrier, interval=0.01))
    next(rounds)
    next(rounds)
    carrier.tamper = lambda member, count, answer: change(answer) if member == 2 else answer
    third = next(rounds)
    assert third.answered == 3
    (line,) = third.faults
    assert line.startswith("round 3: worker 3: ")
    assert reason in line
    carrier.tamper = lambda member, count, answer: answer
    assert next(rounds).answered == 4


def begun(method: str, folder: Path, timeout: float) -> tuple[Vector, Local, Iterator[Any]]:
    """Return the model of an undisturbed run, and the nodes and the rest of one whose first round is over."""
    spec = resolve_numbers(fill_defaults(replace(SPEC, method=method, rate=None)))
    undisturbed = played(spec, Local(spec, folder / "undisturbed"))[-1].model
    carrier = Local(spec, folder / "nodes")
    rounds = train_federation(spec, Postbox(carrier, interval=0.01), timeout=timeout)
    next(rounds)
    return undisturbed, carrier, rounds


@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits", "watchful-rsa:every=1,messages=bits"])
def test_a_round_that_nobody_answers_in_time_is_asked_again(method: str, tmp_path: Path) -> None:
    undisturbed, carrier, rounds = begun(method, tmp_path, timeout=0.3)
    held = dict.fromkeys(range(4), True)
    carrier.tamper = lambda member, count, answer: Failure("held up") if held.pop(member, False) else answer
    others = list(rounds)
    assert [each.answered for each in others] == [4, 4, 4]
    assert not held
    assert others[-1].model.tobytes() == undisturbed.tobytes()


@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits", "watchful-rsa:every=1,messages=bits"])
def test_a_round_that_is_asked_again_waits_for_what_is_under_way(method: str, tmp_path: Path) -> None:
    """All replies are held up for several time-outs, as behind one of 200 MB, and every node is asked once."""
    undisturbed, carrier, rounds = begun(method, tmp_path, timeout=0.2)
    since, pull = monotonic(), carrier.pull
    carrier.pull = lambda tickets: pull(tickets) if monotonic() > since + 0.5 else {}  # type: ignore[method-assign]
    others = list(rounds)
    assert [each.answered for each in others] == [4, 4, 4]
    assert carrier.count == 4 * SPEC.rounds
    assert others[-1].model.tobytes() == undisturbed.tobytes()


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_what_is_not_finite_is_dropped_and_named(value: str, tmp_path: Path) -> None:
    rounds = played(SPEC, Local(SPEC, tmp_path, {3: f"same-value:value={value}"}))
    assert [each.answered for each in rounds] == [3, 3, 3, 3]
    assert rounds[0].faults == ["round 1: worker 3: an answer must be finite; got NaN or infinity"]


@pytest.mark.parametrize("method", ["krum", "multi-krum", "trimmed-mean"])
def test_junk_of_one_node_ends_no_federation(method: str, tmp_path: Path) -> None:
    """Krum needs f + 3 rows: three are enough if the fourth was the Byzantine one."""
    spec = fill_defaults(replace(SPEC, method=method, declared=1, rate=1e-4))
    carrier = Local(spec, tmp_path)
    carrier.tamper = lambda member, count, answer: b"x" * 50 if member == 3 else answer
    rounds = played(spec, carrier)
    assert [each.answered for each in rounds] == [3, 3, 3, 3]
    assert np.any(rounds[0].model)


def test_a_rule_that_cannot_work_leaves_the_model(tmp_path: Path) -> None:
    """A node that is away may be honest: then three rows with one Byzantine among them are too few for Krum."""
    spec = fill_defaults(replace(SPEC, method="krum", declared=1, rate=1e-4))
    carrier = Local(spec, tmp_path)
    carrier.away = {1}
    rounds = played(spec, carrier, timeout=0.05)
    assert not np.any(rounds[-1].model)
    why = "the model stays as it was: Krum needs n >= byzantine + 3; got n=3, byzantine=1"
    assert rounds[-1].faults[-1] == f"round 4: {why}"


def test_an_overflow_leaves_the_model(tmp_path: Path) -> None:
    spec = fill_defaults(replace(SPEC, method="mean", rate=1e3))
    rounds = played(spec, Local(spec, tmp_path, {3: "same-value:value=3e38"}))
    assert rounds[0].faults == ["round 1: the model stays as it was: a model must stay finite; got an overflow"]


def test_only_attacks_of_one_process_are_mounted(tmp_path: Path) -> None:
    for name, kind in attacks.REGISTRY.items():
        if not issubclass(kind, attacks.LocalAttack):
            with pytest.raises(InvalidInput, match="a node alone can only mount a LocalAttack"):
                build_station(SPEC, 1, attack=name)


def asked(node: Node, round: int, value: float = 0.0) -> bytes:
    frame = wire.model(np.full(650, value, np.float32), round)
    return node.handle(wire.pack("play", round=round, frame0=frame))


def test_a_round_played_again_gives_the_same_answer(tmp_path: Path) -> None:
    node = Node(tmp_path, partial(build_station, SPEC, 1))
    asked(node, 0)
    first = asked(node, 1)
    assert asked(node, 1) == first
    asked(node, 2)
    assert asked(node, 1, value=1.0) != first  # another x0 for the same round
    assert asked(node, 2) == asked(node, 2)


def test_an_old_round_is_refused(tmp_path: Path) -> None:
    node = Node(tmp_path, partial(build_station, SPEC, 1))
    for round in range(4):
        asked(node, round)
    packet = wire.unpack(asked(node, 1))
    assert packet.arrays["text"].tobytes() == b"a node resumes from a checkpoint for round 1 or before; got 3"
    assert not wire.is_packet(asked(node, 0))  # a new run


def test_a_half_written_checkpoint_is_passed_over(tmp_path: Path) -> None:
    node, other = (Node(tmp_path / name, partial(build_station, SPEC, 1)) for name in "ab")
    for each in (node, other):
        asked(each, 0)
    newest = tmp_path / "a" / "00000002.checkpoint"
    asked(node, 1)
    newest.write_bytes(newest.read_bytes()[:-7])
    assert asked(node, 2) == asked(other, 2)  # both go on from after round 0


def test_two_messages_at_once_are_refused(tmp_path: Path) -> None:
    node = Node(tmp_path, lambda: asked(node, 0))  # type: ignore[arg-type, return-value]
    with pytest.raises(InvalidInput, match="a folder is used by one process at a time"):
        asked(node, 0)
