"""A round of a Flower strategy without a network: what a ServerApp does between sending and the next model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("flwr")

from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import Strategy
from flwr.supercore.task_identity import TaskIdentity

TaskIdentity.run_id = TaskIdentity.task_id = TaskIdentity.node_id = 1  # a message says whose it is


class Nodes:
    """A grid that only knows who is connected."""

    def __init__(self, count: int) -> None:
        self.numbers = [2**63 + number for number in range(count)]

    def get_node_ids(self) -> list[int]:
        return self.numbers


def answer(message: Message, arrays: Mapping[str, NDArray[Any]], claims: Mapping[str, Any]) -> Message:
    content = {"arrays": ArrayRecord({name: Array(array) for name, array in arrays.items()})}
    return Message(RecordDict(content | {"metrics": MetricRecord(dict(claims))}), reply_to=message)


def played(
    strategy: Strategy,
    replies: Sequence[Mapping[str, Any]],
    claims: Sequence[float] | None = None,
    sent: Mapping[str, NDArray[Any]] | None = None,
) -> tuple[dict[str, NDArray[Any]] | None, MetricRecord | None]:
    """Return the model and the metrics after a round in which the nodes answer with these arrays."""
    start = sent or {"w": np.zeros(2, np.float32)}
    record = ArrayRecord({name: Array(array) for name, array in start.items()})
    messages: Iterable[Message] = strategy.configure_train(1, record, ConfigRecord(), Nodes(len(replies)))
    counts = claims or [1.0] * len(replies)
    answers = [
        answer(message, reply, {"num-examples": count, "loss": 1.0})
        for message, reply, count in zip(messages, replies, counts, strict=True)
    ]
    arrays, metrics = strategy.aggregate_train(1, answers)
    return None if arrays is None else {name: array.numpy() for name, array in arrays.items()}, metrics


def models(*values: float) -> list[dict[str, NDArray[Any]]]:
    """Return models of two equal numbers each."""
    return [{"w": np.full(2, value, np.float32)} for value in values]
