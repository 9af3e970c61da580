"""Who disagrees round after round is named, and left out if the server wants that; never more than are declared."""

from typing import Any

import numpy as np
from stores import reply, rounds

from holdfast.federation import Rounds
from holdfast.federation.node_reports import Suspects
from holdfast.federation.rounds import medians, sample, sample_size


def played(rounds_: int, byzantine: set[int], after: int, declared: int = 2, rule: str = "median") -> Rounds:
    federation = rounds(rule, declared, after=after)
    generator = np.random.default_rng(1)
    nodes = range(101, 110)
    for number in range(1, rounds_ + 1):
        asked = [node for node in nodes if node not in federation.suspects.left_out]
        federation.begin({"w": np.zeros(400, np.float32)}, asked)
        descent = np.ones(400)
        updates = {node: (descent + generator.normal(size=400)).astype(np.float32) for node in asked}
        federation.end(number, [reply(n, w=-4 * u if n in byzantine else u) for n, u in updates.items()])
    return federation


def test_nodes_that_stay_suspicious_are_not_asked_any_more() -> None:
    federation = played(9, {103, 107}, after=3)
    assert federation.suspects.left_out == {103: 7, 107: 7}  # judged from the fifth round on
    last = federation.reports[-1]
    assert last.left_out == (103, 107)
    assert last.verdicts.keys() == set(range(101, 110)) - {103, 107}
    judged = federation.reports[6].verdicts
    assert {node for node, verdict in judged.items() if verdict.suspect} == {103, 107}
    assert min(judged[103].suspicion, judged[107].suspicion) > 3.5
    assert judged[103].disagreement > 0.6
    assert judged[101].disagreement < 0.4


def test_the_mean_names_them_too() -> None:
    judged = played(6, {103, 107}, after=0, rule="mean").reports[-1].verdicts
    assert {node for node, verdict in judged.items() if verdict.suspect} == {103, 107}


def test_everybody_is_asked_for_ever_unless_the_server_wants_otherwise() -> None:
    assert played(9, {103, 107}, after=0).suspects.left_out == {}


def test_never_more_are_left_out_than_declared() -> None:
    assert len(played(9, {103, 107}, after=1, declared=1).suspects.left_out) == 1


def test_junk_counts_and_a_good_round_forgives() -> None:
    suspects = Suspects(after=2, most=1)
    suspects.judge(1, {1: 0.1, 2: 0.1}, [3])
    suspects.judge(2, {1: 0.1, 2: 0.1, 3: 0.1}, [])
    suspects.judge(3, {1: 0.1, 2: 0.1}, [3])
    assert suspects.left_out == {}
    suspects.judge(4, {1: 0.1, 2: 0.1}, [3])
    assert suspects.left_out == {3: 4}


def test_nodes_that_send_the_same_are_one_voice() -> None:
    # node 1 differs on 1/4 from nodes 2 and 3, on all from 4 and 5: median 1/4 if these two count once, else 5/8
    federation = rounds("median")
    federation.begin({"w": np.zeros(4, np.float32)}, range(1, 6))
    updates = [[1, 1, 1, 1], [1, 1, 1, -1], [1, 1, -2, 1], [-1, -1, -1, -1], [-1, -1, -1, -1]]
    federation.end(1, [reply(n, w=np.array(update, np.float32)) for n, update in enumerate(updates, start=1)])
    assert federation.reports[0].verdicts[1].disagreement == 0.25


def test_absence_neither_accuses_nor_forgives() -> None:
    suspects = Suspects(after=2, most=1)
    suspects.judge(1, {1: 0.1}, [3])
    suspects.judge(2, {1: 0.1}, [])
    suspects.judge(3, {2: 0.1}, [3])
    assert suspects.left_out == {3: 3}


def test_a_share_of_the_nodes_is_drawn_by_seed_and_round() -> None:
    nodes = [2**64 - 1, 5, 2**63, 17]
    first = sample(nodes, 2, seed=3, round=1)
    assert first == sample(nodes[::-1], 2, seed=3, round=1)
    assert len({tuple(sample(nodes, 2, seed=3, round=round)) for round in range(20)}) > 1
    assert set(first) < set(nodes)
    assert sample(nodes, 4, seed=3, round=1) == sorted(nodes)


def test_nodes_left_out_are_not_waited_for() -> None:
    assert sample_size(4, 1.0, least=5, available=5) is None
    assert sample_size(4, 1.0, least=5, available=5, left_out=1) == 4


def test_a_reported_number_is_the_median() -> None:
    reported: list[dict[str, Any]] = [
        {"loss": 1.0, "n": 5},
        {"loss": 3.0, "n": 10**18},
        {"loss": 2.0, "n": -600},
        {"loss": [1.0], "x": 1.0},
    ]
    assert medians(reported, without="n") == {"loss": 2.0}
    assert medians([]) == {}
