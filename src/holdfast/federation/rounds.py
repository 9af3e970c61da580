"""A round from the server's side: check each reply on its own, aggregate what fits, judge the nodes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.federation.aggregation import Aggregation
from holdfast.federation.gathering import Averaged, Gathering, Stacked
from holdfast.federation.layout import Layout
from holdfast.federation.reports import Report, Verdict
from holdfast.federation.stored import Stored, Unfit
from holdfast.federation.suspects import Suspects
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
        found[known] = opinion.speakers(numbers[known])
        return dict(zip(nodes, (found | ~known).tolist(), strict=True))
