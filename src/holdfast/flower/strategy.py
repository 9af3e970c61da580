"""Rules as a strategy of Flower's own ServerApp."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from logging import getLogger
from secrets import randbits
from time import monotonic, sleep
from typing import Any

from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord, RecordDict
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Strategy

from holdfast.errors import InvalidInput
from holdfast.federation import Aggregation, Reply, Report, Rounds
from holdfast.federation.node_reports import Suspects
from holdfast.federation.rounds import medians, sample, sample_size

LOGGER = getLogger("flwr")
MetricsFunction = Callable[[list[RecordDict], str], MetricRecord]


@dataclass
class RobustStrategy(Strategy):  # type: ignore[misc]  # flwr is not there where types are checked
    """A rule of holdfast on the updates of ordinary FedAvg-style clients, up to `declared` of which may be Byzantine.

    `rule` is any rule or composition, spelled as on the command line. An update is the model that a node returns minus
    the model that was sent. A reply that is no finite update is dropped and named; no reply ends the federation.
    Sample counts that nodes claim are not read. Arguments that FedAvg has too mean the same.

        strategy = RobustStrategy("nnm+trimmed-mean", declared=1)
    """

    rule: object
    declared: int
    """How many nodes may be Byzantine."""
    examples: Mapping[int, float] | None = None
    """Weights of the nodes for the rule `mean`, as the server knows them; if not given, all weights are equal."""
    leave_out_after: int = 0
    """Stop asking a node that was suspect in so many rounds in a row; 0 asks all nodes for ever."""
    seed: int | None = None
    """Random seed: for the nodes asked and for buckets. None draws a seed that no node can foresee."""
    patience: float = 60.0
    """Seconds to wait for enough nodes before the first round."""
    fraction_train: float = 1.0
    fraction_evaluate: float = 1.0
    min_train_nodes: int | None = None
    """None is the least number with an honest majority, 2 declared + 1."""
    min_evaluate_nodes: int = 1
    min_available_nodes: int = 2
    weighted_by_key: str = "num-examples"
    """Left out of the metrics, and never a weight."""
    arrayrecord_key: str = "arrays"
    configrecord_key: str = "config"
    train_metrics_aggr_fn: MetricsFunction | None = None
    """If not given, the median of each number over the nodes is reported."""
    evaluate_metrics_aggr_fn: MetricsFunction | None = None

    def __post_init__(self) -> None:
        self.aggregation = Aggregation.of(self.rule, self.declared)
        if self.min_train_nodes is None:
            self.min_train_nodes = 2 * self.declared + 1
        else:
            self.aggregation.check(self.min_train_nodes)
        self._seed = randbits(63) if self.seed is None else self.seed
        self._suspects = Suspects(self.leave_out_after, most=self.declared)
        self._rounds = Rounds(self.aggregation, self._suspects, self.examples, self._seed)
        self._checked: set[int] = set()

    @property
    def reports(self) -> list[Report]:
        """One report per round, with every node in it."""
        return self._rounds.reports

    def summary(self) -> None:
        """Log the settings."""
        LOGGER.info("\t├──> Rule: %s, at most %d Byzantine nodes", self.aggregation, self.declared)
        LOGGER.info("\t└──> Fraction: train (%.2f) | evaluate (%.2f)", self.fraction_train, self.fraction_evaluate)

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Ask some nodes, or all, for an update of the model."""
        assert self.min_train_nodes is not None
        if self.fraction_train == 0.0:
            return []
        nodes = self._choose_nodes(grid, self.fraction_train, self.min_train_nodes, server_round)
        if len(nodes) not in self._checked and not self._suspects.left_out:
            self.aggregation.check(len(nodes))
            self._checked.add(len(nodes))
        self._rounds.begin({name: array.numpy() for name, array in arrays.items()}, nodes)
        return self._messages(nodes, arrays, config, server_round, MessageType.TRAIN)

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Return the new model, or None if the model stays as it was, and the metrics of the round."""
        messages = list(replies)
        model = self._rounds.end(server_round, map(_reply, messages))
        report = self.reports[-1]
        for line in report.lines():
            LOGGER.info("\t> %s", line)
        used = [message.content for message in messages if message.metadata.src_node_id in report.verdicts]
        metrics = MetricRecord(self._combine(used, self.train_metrics_aggr_fn) | report.metrics())
        if model is None:
            return None, metrics
        return ArrayRecord({name: Array(array) for name, array in model.items()}), metrics

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Ask some nodes, or all, to evaluate the model."""
        if self.fraction_evaluate == 0.0:
            return []
        nodes = self._choose_nodes(grid, self.fraction_evaluate, self.min_evaluate_nodes, server_round)
        return self._messages(nodes, arrays, config, server_round, MessageType.EVALUATE)

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        """Return the nodes' metrics, combined by the median unless the user gave another function."""
        contents = [message.content for message in replies if not message.has_error()]
        return MetricRecord(self._combine(contents, self.evaluate_metrics_aggr_fn)) if contents else None

    def _choose_nodes(self, grid: Grid, fraction: float, least: int, round: int) -> list[int]:
        """Wait for enough nodes and return those to ask."""
        left_out, start = self._suspects.left_out, monotonic()
        while True:
            connected = set(grid.get_node_ids()) - left_out.keys()
            size = sample_size(len(connected), fraction, least, self.min_available_nodes, len(left_out))
            if size is not None:
                return sample(connected, size, self._seed, round)
            if not self.reports and monotonic() - start > self.patience:
                wanted = max(least, self.min_available_nodes)
                raise InvalidInput(
                    f"a federation needs {wanted} nodes within {self.patience:g} seconds; got {len(connected)}"
                )
            sleep(1)

    def _messages(
        self, nodes: list[int], arrays: ArrayRecord, config: ConfigRecord, round: int, kind: str
    ) -> list[Message]:
        config["server-round"] = round
        content = RecordDict({self.arrayrecord_key: arrays, self.configrecord_key: config})
        return [Message(content=content, message_type=kind, dst_node_id=node) for node in nodes]

    def _combine(self, contents: list[RecordDict], combine: MetricsFunction | None) -> dict[str, Any]:
        if combine is None:
            records = [content.metric_records.values() for content in contents]
            each = [{name: value for record in own for name, value in record.items()} for own in records]
            return dict(medians(each, without=self.weighted_by_key))
        try:
            return dict(combine(contents, self.weighted_by_key))
        except Exception as error:  # a node may report anything, and must not end the federation by it
            LOGGER.warning("metrics were not combined: %s", error)
            return {}


def _reply(message: Message) -> Reply:
    node = message.metadata.src_node_id
    if message.has_error():
        return Reply(node, error=message.error.reason or f"error {message.error.code}")
    records = list(message.content.array_records.values())
    if len(records) != 1:
        return Reply(node, unfit=f"a reply must have one record of arrays; got {len(records)}")
    return Reply(node, records[0])
