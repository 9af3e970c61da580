"""A round from the server's side: sample nodes, check each reply, aggregate, judge the nodes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.federation.aggregation import Aggregation, AveragedReplies, StackedReplies, UsableReplies
from holdfast.federation.model_layout import Layout, Model, StoredArray, Unfit
from holdfast.federation.node_reports import Report, Suspects, Verdict
from holdfast.methods import Served
from holdfast.streams import Stream
from holdfast.typing import Array
from holdfast.watching import opinion_in


class Reply(NamedTuple):
    """A node's reply: its arrays under their names, a reason why there are none, or an error of the node's own."""

    node: int
    arrays: Mapping[str, StoredArray] = {}
    unfit: str = ""
    error: str = ""


@dataclass
class Rounds:
    """The server's side of a federation that trains by rounds, and its memory from round to round."""

    aggregation: Aggregation
    suspects: Suspects
    examples: Mapping[int, float] | None = None
    """Weights of the nodes in the mean, as the server knows them."""
    seed: int = 0
    reports: list[Report] = field(default_factory=list)
    _sent: Layout | None = None
    _asked: tuple[int, ...] = ()
    _memory: Served | None = None
    _numbers: dict[int, int] = field(default_factory=dict)
    """All nodes ever asked, numbered from 1: rules remember workers by such numbers, Flower's have 64 bits."""

    def __post_init__(self) -> None:
        if self.examples is None:
            return
        if not self.aggregation.is_mean:
            raise InvalidInput(f"examples are weights of the mean, no other rule has any; got {self.aggregation}")
        for node, count in self.examples.items():
            if not 0 < count < np.inf:
                raise InvalidInput(f"examples must be finite and above 0; got {count} for node {node}")

    def begin(self, model: Mapping[str, Array], asked: Iterable[int]) -> None:
        """Note the model that is sent, and the nodes that are asked."""
        self._sent, self._asked = Layout.of(model), tuple(asked)
        for node in self._asked:
            self._numbers.setdefault(node, len(self._numbers) + 1)

    def end(self, round: int, replies: Iterable[Reply]) -> Model | None:
        """Return the new model, or None if the model stays as it was. Add a report of the round to `reports`."""
        assert self._sent is not None  # begin comes first
        dropped: dict[int, str] = {}
        failed: dict[int, str] = {}
        usable = self._empty_replies(self._sent)
        for reply in replies:
            if reply.error:  # Flower reports a lost node under a number of its own; such a node is absent
                failed |= {reply.node: " ".join(reply.error.split())[:200]} if reply.node in self._asked else {}
            elif reply.node not in self._asked or reply.node in usable.nodes:
                dropped[reply.node] = "a node must be asked, and answer once; got another reply"
            else:
                try:
                    if reply.unfit:
                        raise Unfit(reply.unfit)
                    usable.add(reply.node, self._sent.read(reply.arrays))
                except Unfit as reason:
                    dropped[reply.node] = str(reason)
        return self._conclude(round, usable, dropped, failed)

    def _empty_replies(self, sent: Layout) -> UsableReplies:
        if self.aggregation.is_mean:
            return AveragedReplies(sent, self.seed, self.examples)
        return StackedReplies(sent, self.seed, self.aggregation, {node: self._numbers[node] for node in self._asked})

    def _conclude(
        self, round: int, usable: UsableReplies, dropped: dict[int, str], failed: dict[int, str]
    ) -> Model | None:
        """Aggregate the usable replies, judge the nodes and report both."""
        model, why, nodes = None, "no reply could be used", usable.nodes
        weights: list[float | None] = [None] * len(nodes)
        shares: dict[int, float] = {}
        twins: dict[int, int] = {}
        if nodes:
            unusable = (dropped.keys() & set(self._asked)) - set(nodes) | self.suspects.left_out.keys()
            try:
                result = usable.result(round, self._memory, len(unusable))
                model, self._memory, why = result.model, result.memory, ""
                weights = weights if result.weights is None else result.weights.tolist()
            except (InvalidInput, OverflowError) as error:
                why = str(error)
            compared = usable.disagreement()
            shares = dict(zip(nodes, compared.shares, strict=True))
            twins = dict(zip(nodes, compared.twins, strict=True))
        scores = self.suspects.judge(round, shares, dropped, twins)
        verdicts = {
            node: Verdict(shares[node], *scores[node], weight, heard)
            for node, weight, heard in zip(nodes, weights, self._attention(nodes), strict=True)
        }
        left_out = tuple(self.suspects.left_out)
        self.reports.append(Report(round, self._asked, verdicts, dropped, failed, left_out, why))
        return model

    def _attention(self, nodes: Sequence[int]) -> list[bool]:
        """Return for each node whether the stage `watch`, if there is one, uses the node's updates."""
        opinion = opinion_in(self._memory)
        if opinion is None or not nodes:
            return [True] * len(nodes)
        numbers = np.array([self._numbers[node] for node in nodes])
        heard = np.ones(len(nodes), bool)
        known = numbers <= len(opinion.weights)  # others were never compared
        heard[known] = opinion.speakers(numbers[known])
        return heard.tolist()


def sample_size(nodes: int, fraction: float, least: int, available: int, left_out: int = 0) -> int | None:
    """Return how many of the connected nodes to ask, as Flower's FedAvg does; None: wait for more to connect.

    The server neither asks nor waits for the `left_out` nodes.

    >>> sample_size(10, 0.5, least=3, available=4), sample_size(3, 0.5, least=3, available=4)
    (5, None)
    """
    size = max(int(nodes * fraction), least - left_out, 1)
    return size if nodes >= max(size, available - left_out) else None


def sample(nodes: Collection[int], size: int, seed: int, round: int) -> list[int]:
    """Return `size` of the nodes, in order: those whose words of the seed for this round are smallest."""
    numbers = np.array(sorted(nodes), np.uint64)
    words = Stream(seed, "asked nodes").words(numbers.view(np.int64), round, 1)[:, 0]
    chosen: list[int] = np.sort(numbers[np.argsort(words, kind="stable")[:size]]).tolist()
    return chosen


def medians(reported: Iterable[Mapping[str, Any]], without: str = "") -> dict[str, float]:
    """Return the median of every number that more than half of the nodes report.

    Nodes may make these numbers up. A count of samples is no weight here, so `without` leaves that name out. While
    most nodes are honest, every result lies between two honest numbers, and every name is one that they use.

    >>> medians([{"loss": 1.0}, {"loss": 2.0}, {"loss": 1e9}, {"made-up": 3.0, "loss": float("nan")}])
    {'loss': 2.0}
    """
    records = list(reported)
    values: dict[str, list[float]] = {}
    for record in records:
        for name, value in record.items():
            if name != without and isinstance(value, int | float) and isfinite(value):
                values.setdefault(name, []).append(float(value))
    return {name: median(each) for name, each in values.items() if 2 * len(each) > len(records)}
