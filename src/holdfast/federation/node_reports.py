"""What a round showed of every node, and which nodes the server stops asking."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from holdfast.watching.suspicion import find_suspects, suspicion

WINDOW = 50
"""Rounds that are remembered: a node is judged by its recent replies."""


@dataclass(frozen=True)
class Verdict:
    """What a round showed of one node whose update was used."""

    disagreement: float
    """Median over the other nodes of the share of coordinates on which the two updates have different signs.

    Nodes that send the same update count once."""
    suspicion: float
    """How far the disagreement lies above the median node's over recent rounds, in robust standard deviations."""
    suspect: bool
    weight: float | None = None
    """The node's share in the new model, if the rule has such shares."""
    heard: bool = True
    """False while the stage `watch` replaces the node's update by the mean of others."""


@dataclass(frozen=True)
class Report:
    """One round: which updates were used, which were not, and why."""

    round: int
    asked: tuple[int, ...]
    verdicts: Mapping[int, Verdict] = field(default_factory=dict)
    dropped: Mapping[int, str] = field(default_factory=dict)
    """Nodes whose reply could not be used, and the reason."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Nodes that reported an error."""
    left_out: tuple[int, ...] = ()
    """Nodes that the server does not ask any more."""
    unchanged: str = ""
    """Why the model stayed as it was; empty if it moved."""

    @property
    def absent(self) -> tuple[int, ...]:
        """Nodes that were asked and did not answer."""
        answered = self.verdicts.keys() | self.dropped.keys() | self.failed.keys()
        return tuple(node for node in self.asked if node not in answered)

    def metrics(self) -> dict[str, int]:
        """Return the counts of the round."""
        return {
            "replies-used": len(self.verdicts),
            "replies-dropped": len(self.dropped),
            "replies-failed": len(self.failed),
            "replies-absent": len(self.absent),
            "nodes-suspect": sum(verdict.suspect for verdict in self.verdicts.values()),
            "nodes-not-heard": sum(not verdict.heard for verdict in self.verdicts.values()),
            "nodes-left-out": len(self.left_out),
            "model-unchanged": int(bool(self.unchanged)),
        }

    def lines(self) -> Iterator[str]:
        """Yield the round as lines of a log, one per node."""
        for node, verdict in self.verdicts.items():
            weight = "" if verdict.weight is None else f"weight {verdict.weight:.3f}, "
            scores = f"disagreement {verdict.disagreement:.3f}, suspicion {verdict.suspicion:.1f}"
            marks = [mark for mark, holds in (("suspect", verdict.suspect), ("not heard", not verdict.heard)) if holds]
            yield f"node {node}: {weight}{scores}" + (f" ({', '.join(marks)})" if marks else "")
        for what, nodes in (("dropped", self.dropped), ("failed", self.failed)):
            for node, reason in nodes.items():
                yield f"node {node}: {what}: {reason}"
        for node in self.absent:
            yield f"node {node}: no answer"
        if self.left_out:
            yield f"not asked any more: {', '.join(map(str, self.left_out))}"
        if self.unchanged:
            yield f"round {self.round} leaves the model as it was: {self.unchanged}"


class Suspects:
    """Suspicion of the nodes over recent rounds, and the nodes that are not asked any more.

    A node is left out after `after` rounds in a row, of those that asked it, in which it was suspect or sent an
    unusable reply; 0 asks all nodes for ever. At most `most` nodes are left out, the declared number: an attacker who
    could have honest nodes left out would win a majority.
    """

    def __init__(self, after: int, most: int) -> None:
        self._after, self._most = after, most
        self._history: deque[tuple[Mapping[int, float], Mapping[int, int]]] = deque(maxlen=WINDOW)
        self._streaks: Counter[int] = Counter()
        self.left_out: dict[int, int] = {}
        """The nodes that are not asked any more, and after which round each was left out."""

    def judge(
        self, round: int, shares: Mapping[int, float], unusable: Iterable[int], twins: Mapping[int, int] | None = None
    ) -> dict[int, tuple[float, bool]]:
        """Take in each node's disagreement, and how many others sent the same. Return suspicions and suspects."""
        bad = set(unusable)
        verdicts: dict[int, tuple[float, bool]] = {}
        if shares:
            self._history.append((shares, twins or dict.fromkeys(shares, 0)))
            nodes = sorted(set().union(*(past for past, _ in self._history)))
            table = [[past.get(node) for node in nodes] for past, _ in self._history]
            copies = [[past.get(node) for node in nodes] for _, past in self._history]
            scores, suspects = suspicion(table, copies).tolist(), find_suspects(table, copies).tolist()
            verdicts = dict(zip(nodes, zip(scores, suspects, strict=True), strict=True))
        for node in shares.keys() | bad:
            self._streaks[node] = self._streaks[node] + 1 if node in bad or verdicts[node][1] else 0
        for node, streak in self._streaks.most_common() if self._after else ():
            if streak >= self._after and node not in self.left_out and len(self.left_out) < self._most:
                self.left_out[node] = round
        return verdicts
