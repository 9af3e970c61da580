"""A round from the server's side: sample nodes, check each reply, aggregate, judge the nodes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.federation.aggregation import Aggregation, Averaged, Gathering, Stacked
from holdfast.federation.model_layout import Layout, Stored, Unfit
from holdfast.federation.node_reports import Report, Suspects, Verdict
from holdfast.streams import Stream
from holdfast.watching import opinion_in


class Reply(NamedTuple):
    """What one node answered: its arrays under their names, a reason why it has none, or an error of its own."""

    node: int
    arrays: Mapping[str, Stored] = {}
    unfit: str = ""
    error: str = ""


@dataclass
class Rounds:
    """The server's side of a federation that trains by rounds, and what it remembers from round to round."""

    aggregation: Aggregation
    suspects: Suspects
    examples: Mapping[int, float] | None = None
    """Weights of the nodes in the mean, as the server knows them."""
    seed: int = 0
    reports: list[Report] = field(default_factory=list)
    _sent: Layout | None = None
    _asked: tuple[int, ...] = ()
    _memory: Any = None
    _numbers: dict[int, int] = field(default_factory=dict)
    """All nodes ever asked, numbered as workers are: a rule remembers workers, and a number of Flower's has 64 bits."""

    def __post_init__(self) -> None:
        if self.examples is None:
            return
        if not self.aggregation.is_mean:
            raise InvalidInput(f"examples are weights of the mean, no other rule has any; got {self.aggregation}")
        for node, count in self.examples.items():
            if not 0 < count < np.inf:
                raise InvalidInput(f"examples must be finite and above 0; got {count} for node {node}")

    def begin(self, model: Mapping[str, NDArray[Any]], asked: Iterable[int]) -> None:
        """Note what is sent, and to whom."""
        self._sent, self._asked = Layout.of(model), tuple(asked)
        for node in self._asked:
            self._numbers.setdefault(node, len(self._numbers) + 1)

    def end(self, round: int, replies: Iterable[Reply]) -> dict[str, NDArray[Any]] | None:
        """Return the new model, or None where it stays as it was; the last of `reports` says all about the round."""
        assert self._sent is not None  # begin comes first
        dropped: dict[int, str] = {}
        failed: dict[int, str] = {}
        gathered = self._gathering(self._sent)
        for reply in replies:
            if reply.error:  # Flower reports a lost node under a number of its own; such a node is absent
                failed |= {reply.node: " ".join(reply.error.split())[:200]} if reply.node in self._asked else {}
            elif reply.node not in self._asked or reply.node in gathered.nodes:
                dropped[reply.node] = "a node must be asked, and answer once; got another reply"
            else:
                try:
                    if reply.unfit:
                        raise Unfit(reply.unfit)
                    gathered.add(reply.node, self._sent.read(reply.arrays))
                except Unfit as reason:
                    dropped[reply.node] = str(reason)
        return self._ended(round, gathered, dropped, failed)

    def _gathering(self, sent: Layout) -> Gathering:
        if self.aggregation.is_mean:
            return Averaged(sent, self.seed, self.examples)
        return Stacked(sent, self.seed, self.aggregation, {node: self._numbers[node] for node in self._asked})

    def _ended(
        self, round: int, gathered: Gathering, dropped: dict[int, str], failed: dict[int, str]
    ) -> dict[str, NDArray[Any]] | None:
        model, why = None, "no reply could be used"
        weights: list[float | None] = [None] * len(gathered.nodes)
        if gathered.nodes:
            try:
                known = (dropped.keys() & set(self._asked)) - set(gathered.nodes) | self.suspects.left_out.keys()
                result = gathered.result(round, self._memory, len(known))
                model, self._memory, why = result.model, result.memory, ""
                weights = weights if result.weights is None else result.weights.tolist()
            except (InvalidInput, OverflowError) as error:
                why = str(error)
        shares = gathered.disagreement()
        judged = self.suspects.hear(round, shares, dropped)
        heard = self._heard(gathered.nodes)
        verdicts = {
            node: Verdict(shares[node], *judged[node], weight, heard[node])
            for node, weight in zip(gathered.nodes, weights, strict=True)
        }
        left_out = tuple(self.suspects.left_out)
        self.reports.append(Report(round, self._asked, verdicts, dropped, failed, left_out, why))
        return model

    def _heard(self, nodes: Sequence[int]) -> dict[int, bool]:
        """Return whom the stage `watch`, if there is one, listens to."""
        opinion = opinion_in(self._memory)
        if opinion is None or not nodes:
            return dict.fromkeys(nodes, True)
        numbers = np.array([self._numbers[node] for node in nodes])
        known = numbers <= len(opinion.weights)  # others were never compared
        found = known.copy()
        found[known] = opinion.heard(numbers[known])
        return dict(zip(nodes, (found | ~known).tolist(), strict=True))


def sample_size(nodes: int, fraction: float, least: int, available: int, left_out: int = 0) -> int | None:
    """Return how many of the connected nodes to ask, as Flower's FedAvg does; None: wait for more to connect.

    `left_out` nodes that are not asked any more are not among them, and not waited for.

    >>> sample_size(10, 0.5, least=3, available=4), sample_size(3, 0.5, least=3, available=4)
    (5, None)
    """
    size = max(int(nodes * fraction), least - left_out, 1)
    return size if nodes >= max(size, available - left_out) else None


def sample(nodes: Collection[int], size: int, seed: int, round: int) -> list[int]:
    """Return so many of the nodes, in order: those with the smallest words of the seed for this round."""
    numbers = np.array(sorted(nodes), np.uint64)
    words = Stream(seed, "asked nodes").words(numbers.view(np.int64), round, 1)[:, 0]
    chosen: list[int] = np.sort(numbers[np.argsort(words, kind="stable")[:size]]).tolist()
    return chosen


def medians(reported: Iterable[Mapping[str, Any]], without: str = "") -> dict[str, float]:
    """Return the median of every number that more than half of the nodes report.

    A count of samples is no weight here, so `without` leaves it out. While most nodes are honest, every result lies
    between two honest numbers, and none has a name that they do not use.

    >>> medians([{"loss": 1.0}, {"loss": 2.0}, {"loss": 1e9}, {"made-up": 3.0, "loss": float("nan")}])
    {'loss': 2.0}
    """
    records = list(reported)
    values: dict[str, list[float]] = {}
    for record in records:
        for name, value in record.items():
            if name != without and isinstance(value, int | float) and isfinite(value):
                values.setdefault(name, []).append(float(value))
    return {name: median(found) for name, found in values.items() if 2 * len(found) > len(records)}
