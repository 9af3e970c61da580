"""CPU time of `aggregate_train`, Flower's strategies and ours on the same replies, deserialising included.

    .venv-flower/bin/python -m benchmarks.flower_strategies

Calls are made in turns, and each way's median over the turns is compared: what slows the machine down meets all alike.
Flower's strategies take arrays out of the replies, so all ways get fresh messages; making these is not timed.
"""

import logging
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp.strategy import FedAvg, FedMedian, FedTrimmedAvg, Krum, Strategy
from flwr.supercore.task_identity import TaskIdentity

from holdfast.flower import RobustStrategy

NODES, DIMENSION, DECLARED, TURNS = 20, 1_000_000, 4, 9
TARGETS = {"mean": 1.0, "krum": 1.5, "median": 5.0, "trimmed-mean": 5.0}
"""How many times our CPU time Flower's must be."""
FLOWER: dict[str, Callable[[], Strategy]] = {
    "mean": FedAvg,
    "krum": lambda: Krum(num_malicious_nodes=DECLARED),
    "median": FedMedian,
    "trimmed-mean": lambda: FedTrimmedAvg(beta=DECLARED / NODES),
}


class Nodes:
    def get_node_ids(self) -> range:
        return range(1, NODES + 1)


def seconds(strategy: Strategy, sent: ArrayRecord, arrays: list[Array]) -> float:
    messages = strategy.configure_train(1, sent, ConfigRecord(), Nodes())
    replies = []
    for message, array in zip(messages, arrays, strict=True):
        content = {"arrays": ArrayRecord({"w": array}), "metrics": MetricRecord({"num-examples": 1})}
        replies.append(Message(RecordDict(content), reply_to=message))
    begun = process_time()
    model, _ = strategy.aggregate_train(1, replies)
    took = process_time() - begun
    assert model is not None
    return took


def main() -> None:
    logging.getLogger("flwr").setLevel("ERROR")
    TaskIdentity.run_id = TaskIdentity.task_id = TaskIdentity.node_id = 1  # a message says whose it is
    generator = np.random.default_rng(1)
    sent = ArrayRecord({"w": Array(generator.normal(size=DIMENSION).astype(np.float32))})
    arrays = [Array(generator.normal(size=DIMENSION).astype(np.float32)) for _ in range(NODES)]
    times: dict[tuple[str, str], list[float]] = {}
    for turn in range(TURNS + 1):
        for rule, theirs in FLOWER.items():
            for whose, strategy in (("Flower", theirs()), ("ours", RobustStrategy(rule, DECLARED))):
                took = seconds(strategy, sent, arrays)
                if turn:  # the first one compiles and warms up
                    times.setdefault((rule, whose), []).append(took)
    print(f"| rule, {NODES} x {DIMENSION:,} float32 | Flower, ms | ours, ms | Flower / ours | target |")
    print("|---|---:|---:|---:|---:|")
    for rule, target in TARGETS.items():
        flower, ours = (1000 * median(times[rule, whose]) for whose in ("Flower", "ours"))
        print(f"| {rule} | {flower:.0f} | {ours:.0f} | {flower / ours:.1f} | {target:g} |")


if __name__ == "__main__":
    main()
