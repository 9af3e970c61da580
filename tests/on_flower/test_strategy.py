"""What the strategy adds to the tested rounds: whom it asks, what it logs and reports, and that no message ends it."""

import logging

import numpy as np
import pytest

pytest.importorskip("flwr")

from flwr.app import Array, ArrayRecord, ConfigRecord, Error, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import Result
from strategies import Nodes, answer, models, played

from holdfast.errors import InvalidInput
from holdfast.flower import RobustStrategy

START = ArrayRecord({"w": Array(np.zeros(2, np.float32))})


class Federation(Nodes):
    """A grid whose nodes answer at once: node i drifts by i / 10, the Byzantine ones send what they like."""

    def __init__(self, count: int, byzantine: dict[int, object]) -> None:
        super().__init__(count)
        self.byzantine, self.asked = byzantine, list[list[int]]()

    def send_and_receive(self, messages: object, *, timeout: float | None = None) -> list[Message]:
        assert isinstance(messages, list)
        self.asked.append([message.metadata.dst_node_id for message in messages])
        return [self._answered(message) for message in messages]

    def _answered(self, message: Message) -> Message:
        number = self.numbers.index(message.metadata.dst_node_id)
        sent = next(iter(message.content.array_records.values()))["w"].numpy()
        generator = np.random.default_rng([number, message.content["config"]["server-round"]])
        update = 1 + 0.3 * generator.normal(size=sent.shape)
        does = self.byzantine.get(number)
        if does == "error":
            return Message(Error(code=0, reason="out of memory"), reply_to=message)
        if does == "nothing":
            return Message(RecordDict(), reply_to=message)
        if does == "flip":
            update = -4 * update
        return answer(message, {"w": (sent + update).astype(np.float32)}, {"loss": 1.0 + number, "num-examples": 5})


def started(strategy: RobustStrategy, grid: Federation, rounds: int = 3) -> Result:
    start = ArrayRecord({"w": Array(np.zeros(300, np.float32))})
    return strategy.start(grid=grid, initial_arrays=start, num_rounds=rounds)


@pytest.mark.parametrize(
    "rule", ["trimmed-mean", "nnm+krum", "bucketing:size=1+geometric-median", "centered-clipping:radius=20"]
)
def test_flowers_own_loop_with_bad_nodes(rule: str) -> None:
    strategy = RobustStrategy(rule, declared=3, seed=1)
    result = started(strategy, Federation(9, {1: "error", 4: "nothing", 6: "flip"}))
    moved = result.arrays["w"].numpy().mean()
    assert 2 < moved < 4  # three rounds of about 1 each
    assert result.train_metrics_clientapp[3]["replies-used"] == 7
    assert result.train_metrics_clientapp[3]["loss"] == 6  # the median of nodes 0, 2, 3, 5, 6, 7, 8
    assert result.evaluate_metrics_clientapp[3]["loss"] == 6
    first = strategy.reports[0]
    assert first.failed == {2**63 + 1: "out of memory"}
    assert first.dropped == {2**63 + 4: "a reply must have one record of arrays; got 0"}


def test_a_node_that_stays_suspicious_is_not_asked_any_more() -> None:
    strategy, grid = RobustStrategy("median", declared=1, leave_out_after=2), Federation(7, {6: "flip"})
    result = started(strategy, grid, rounds=8)
    assert [len(asked) for asked in grid.asked[::2]] == [7, 7, 7, 7, 7, 7, 6, 6]  # judged from the fifth round on
    assert grid.numbers[6] not in grid.asked[-1]  # nor to evaluate
    assert result.train_metrics_clientapp[8]["nodes-left-out"] == 1


def test_the_log_names_every_node(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("flwr"), "propagate", True)
    with caplog.at_level("INFO", logger="flwr"):
        played(RobustStrategy("krum", 1), [*models(1, 1.1, 1.2), {"w": np.full(2, np.inf, np.float32)}])
    assert f"node {2**63}: weight " in caplog.text
    assert f"node {2**63 + 3}: dropped: array 'w' must be finite; got NaN or infinity" in caplog.text


def test_a_share_of_the_nodes_is_asked() -> None:
    strategy, grid = RobustStrategy("median", 1, fraction_train=0.5, fraction_evaluate=0.0, seed=4), Federation(8, {})
    started(strategy, grid)
    asked = [tuple(each) for each in grid.asked if each]
    assert [len(each) for each in asked] == [4, 4, 4]
    assert len(set(asked)) > 1


def test_too_few_nodes_are_said_in_one_line() -> None:
    with pytest.raises(InvalidInput, match="a federation needs 5 nodes within 0 seconds; got 4"):
        RobustStrategy("median", 2, patience=0).configure_train(1, START, ConfigRecord(), Nodes(4))


def test_metrics_of_the_users_own_cannot_end_the_federation() -> None:
    def combine(contents: list[RecordDict], key: str) -> MetricRecord:
        if combine.broken:  # type: ignore[attr-defined]
            raise KeyError("loss")
        return MetricRecord({"nodes": len(contents)})

    for combine.broken, expected in ((False, 3), (True, None)):  # type: ignore[attr-defined]
        _, metrics = played(RobustStrategy("median", 1, train_metrics_aggr_fn=combine), models(1, 2, 3))
        assert metrics is not None
        assert metrics.get("nodes") == expected
        assert metrics["replies-used"] == 3
