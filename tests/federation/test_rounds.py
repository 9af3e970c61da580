"""One round: each reply on its own, what fits is aggregated, nothing raises, everybody is named."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from stores import Array, one_round, reply, rounds, stored

from holdfast.errors import InvalidInput
from holdfast.federation import Aggregation, Reply

SENT: dict[str, NDArray[Any]] = {
    "w": np.full((2, 2), 10.0, np.float32),
    "b": np.zeros(1),
    "steps": np.array(5),
    "mask": np.array([True, False]),
}


def test_a_rule_is_applied_to_updates() -> None:
    # updates of w: 1, 2, 3 and 89; of b: 1, 2, 3 and 0; the middle two of each are averaged
    played = rounds("trimmed-mean")
    played.begin(SENT, [1, 2, 3, 4])
    values = [(11, 1, 7), (12, 2, 7), (13, 3, 9), (99, 0, 9)]
    model = played.end(
        1,
        [
            reply(n, w=np.full((2, 2), w, np.float32), b=np.full(1, float(b)), steps=np.array(s), mask=SENT["mask"])
            for n, (w, b, s) in enumerate(values, start=1)
        ],
    )
    assert model is not None
    assert model["w"].tolist() == [[12.5, 12.5], [12.5, 12.5]]
    assert model["b"].tolist() == [1.5]
    assert model["steps"] == 7  # the lower median: no mean of counters
    assert model["mask"].tolist() == [True, False]
    assert {name: array.dtype for name, array in model.items()} == {name: a.dtype for name, a in SENT.items()}
    assert {name: array.shape for name, array in model.items()} == {name: a.shape for name, a in SENT.items()}


GOOD = {name: stored(array) for name, array in SENT.items()}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Reply(4, {}), "a reply must have the 4 arrays that were sent; got 0, without 'b'"),
        (
            Reply(4, GOOD | {"more": stored(np.zeros(1))}),
            "a reply must have the 4 arrays that were sent; got 5, with 'more'",
        ),
        (Reply(4, GOOD | {"w": stored(np.zeros(1, np.float32))}), "array 'w' must have shape (2, 2); got (1,)"),
        (Reply(4, GOOD | {"w": stored(np.zeros((2, 2)))}), "array 'w' must have type float32; got float64"),
        (Reply(4, GOOD | {"b": stored(np.array([np.nan]))}), "array 'b' must be finite; got NaN or infinity"),
        (Reply(4, GOOD | {"b": stored(np.array([-np.inf]))}), "array 'b' must be finite; got NaN or infinity"),
        (Reply(4, GOOD | {"b": Array(b"junk")}), "array 'b' must be in NumPy's format; got 4 bytes that are not"),
        (
            Reply(4, unfit="a reply must have one record of arrays; got 0"),
            "a reply must have one record of arrays; got 0",
        ),
    ],
)
@pytest.mark.parametrize("rule", ["mean", "median", "nnm+krum"])
def test_a_reply_that_does_not_fit_is_dropped_and_named(rule: str, bad: Reply, reason: str) -> None:
    played = rounds(rule)
    played.begin(SENT, [1, 2, 3, 4, 5])
    model = played.end(1, [*(Reply(n, GOOD) for n in (1, 2, 3)), bad, Reply(5, GOOD)])
    assert model is not None
    assert all(np.array_equal(model[name], SENT[name]) for name in SENT)
    (report,) = played.reports
    assert report.dropped == {4: reason}
    assert report.metrics()["replies-dropped"] == 1
    assert f"node 4: dropped: {reason}" in report.lines()


def test_an_update_that_overflows_is_dropped() -> None:
    played = rounds("median")
    played.begin({"w": np.full(1, -3e38, np.float32)}, [1, 2, 3])
    played.end(1, [reply(node, w=np.full(1, 3e38 if node == 2 else -3e38, np.float32)) for node in (1, 2, 3)])
    assert played.reports[0].dropped == {2: "an update must be finite; got an overflow"}


def test_errors_and_silence_are_told_apart() -> None:
    played = rounds("median")
    played.begin(SENT, [1, 2, 3, 4, 5])
    played.end(
        1, [Reply(1, GOOD), Reply(2, GOOD), Reply(4, error="a\nb"), Reply(77, error="node lost"), Reply(3, GOOD)]
    )
    (report,) = played.reports
    assert report.failed == {4: "a b"}
    assert report.absent == (5,)


def test_a_second_reply_and_one_of_a_stranger_are_dropped() -> None:
    played = rounds("median")
    played.begin(SENT, [1, 2, 3])
    played.end(1, [Reply(1, GOOD), Reply(1, GOOD), Reply(9, GOOD), Reply(2, GOOD), Reply(3, GOOD)])
    assert played.reports[0].dropped.keys() == {1, 9}
    assert played.reports[0].verdicts.keys() == {1, 2, 3}


def test_with_too_few_replies_the_model_stays() -> None:
    # declared is 1: of two replies one may be Byzantine, and nobody knows which
    played = rounds("median")
    played.begin(SENT, [1, 2, 3])
    assert played.end(1, [Reply(1, GOOD), Reply(2, GOOD)]) is None
    assert (
        played.reports[0].unchanged == "median needs n > 2 * declared, a majority that is honest; got n=2, declared=1"
    )
    assert played.end(2, []) is None
    assert played.reports[1].unchanged == "no reply could be used"


def test_a_node_cannot_stall_the_rounds_by_junk() -> None:
    # Krum needs 4 for 1; who sends junk was the one, so that the other three are enough
    played = one_round("krum", {1: 1.0, 2: 2.0, 3: 2.1, 4: np.nan})
    assert not played.reports[0].unchanged
    # but while there are enough, the rule is told the whole number: 5 replies and 1 junk withstand one more
    played = one_round("krum", {1: 1.0, 2: 1.1, 3: 1.2, 4: 1.3, 5: 1e9, 6: np.nan}, declared=2)
    weights = [verdict.weight for verdict in played.reports[0].verdicts.values()]
    assert weights[4] == 0


@pytest.mark.parametrize(
    ("rule", "declared", "nodes", "message"),
    [
        ("krum", 1, 3, "Krum needs n >= byzantine . 3; got n=3, byzantine=1"),
        ("krum", 10, 4, r"krum needs n > 2 \* declared, a majority that is honest; got n=4, declared=10"),
        ("krum", -5, 4, "declared must be a whole number from 0 on; got -5"),
        (
            "multi-krum:selected=99",
            1,
            4,
            "MultiKrum needs selected <= n - byzantine; got selected=99, n=4, byzantine=1",
        ),
        ("nnm+trimmed-mean:trim=3", 1, 5, "TrimmedMean needs n > 2 . trim; got n=5, trim=3"),
        ("rsa", 1, 5, "rule must be a rule on updates, such as nnm.trimmed-mean; got rsa"),
        ("krumm", 1, 5, "unknown method 'krumm'"),
    ],
)
def test_a_wrong_number_of_nodes_is_said_before_the_first_round(
    rule: str, declared: int, nodes: int, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        Aggregation.of(rule, declared).check(nodes)


def test_only_the_server_weighs_nodes() -> None:
    played = rounds("mean", examples={1: 3, 2: 1})
    played.begin({"w": np.zeros(1)}, [1, 2, 3])
    model = played.end(1, [reply(1, w=np.ones(1)), reply(2, w=np.full(1, 5.0)), reply(3, w=np.full(1, 9.0))])
    assert model is not None
    assert model["w"] == [2.0]
    assert played.reports[0].dropped == {3: "a node must have examples declared by the server; got none"}
    with pytest.raises(InvalidInput, match="examples are weights of the mean, no other rule has any; got median"):
        rounds("median", examples={1: 3})
    with pytest.raises(InvalidInput, match="examples must be finite and above 0; got nan for node 1"):
        rounds("mean", examples={1: np.nan})


def test_a_sum_that_overflows_leaves_the_model_as_it_was() -> None:
    played = one_round("mean", {1: 3e38, 2: 3e38, 3: 3e38})
    assert played.reports[0].unchanged == "a model must stay finite; got an overflow"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("rule", ["mean", "median", "krum"])
def test_types_come_back_as_they_were(rule: str, dtype: type) -> None:
    played = rounds(rule)
    played.begin({"w": np.zeros(2, dtype)}, [1, 2, 3, 4])
    model = played.end(1, [reply(node, w=np.full(2, 2, dtype)) for node in (1, 2, 3, 4)])
    assert model is not None
    assert model["w"].dtype == dtype
    assert model["w"].tolist() == [2, 2]


def test_the_mean_takes_the_memory_of_one_model() -> None:
    size = 1_000_000
    replies = [reply(node, w=np.full(size, node, np.float32)) for node in range(1, 21)]
    played = rounds("mean")
    played.begin({"w": np.zeros(size, np.float32)}, range(1, 21))
    tracemalloc.start()
    model = played.end(1, replies)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model is not None
    assert set(model["w"].tolist()) == {10.5}
    assert peak < 2.5 * 4 * size  # the sum, which numbers are finite, 20 samples of coordinates; 20 rows would be 20


def test_a_stage_with_memory_remembers_nodes_from_round_to_round() -> None:
    """Node 7 opposes all others in every round: `watch` cannot know after one, and does not hear it after some."""
    played, generator = rounds("watch:every=1+mean"), np.random.default_rng(3)
    nodes = [2**63 + number for number in range(1, 8)]  # numbers as Flower gives them
    for number in range(1, 7):
        played.begin({"w": np.zeros(200, np.float32)}, nodes)
        common = generator.normal(size=200)
        sent = [common + 0.5 * generator.normal(size=200) for _ in range(6)] + [-9 * common]
        model = played.end(
            number, [reply(node, w=row.astype(np.float32)) for node, row in zip(nodes, sent, strict=True)]
        )
    assert [report.metrics()["nodes-not-heard"] for report in played.reports] == [0, 0, 1, 1, 1, 1]
    assert not played.reports[-1].verdicts[nodes[-1]].heard
    assert any("(not heard)" in line or "not heard)" in line for line in played.reports[-1].lines())
    assert model is not None
    assert np.corrcoef(model["w"], common)[0, 1] > 0.9  # the plain mean would be turned round
