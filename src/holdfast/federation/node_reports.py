"""What became of a round and of every node in it, and which nodes stay suspicious."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from holdfast.watching.suspicion import suspected, suspicion


@dataclass(frozen=True)
class Verdict:
    """What was seen of one node whose update was used."""

    disagreement: float
    """Median over the other nodes of the share of coordinates on which the two updates have different signs."""
    suspicion: float
    """How far that lies above the median node's over the last rounds, in robust standard deviations."""
    suspect: bool
    weight: float | None = None
    """Its share in the new model, if the rule has such shares."""
    heard: bool = True
    """False while the stage `watch` puts the mean of others in the place of its update."""


@dataclass(frozen=True)
class Report:
    """One round: whose updates were used, and whose were not, and why."""

    round: int
    asked: tuple[int, ...]
    verdicts: Mapping[int, Verdict] = field(default_factory=dict)
    dropped: Mapping[int, str] = field(default_factory=dict)
    """Nodes whose reply could not be used, and the reason."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Nodes that reported an error."""
    left_out: tuple[int, ...] = ()
    """Nodes that are not asked any more."""
    unchanged: str = ""
    """Why the model stayed as it was; empty if it moved."""

    @property
    def absent(self) -> tuple[int, ...]:
        """Nodes that were asked and did not answer."""
        answered = self.verdicts.keys() | self.dropped.keys() | self.failed.keys()
        return tuple(node for node in self.asked if node not in answered)

    def metrics(self) -> dict[str, int]:
        """Return the counts of the round, for whoever plots them."""
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
            seen = f"disagreement {verdict.disagreement:.3f}, suspicion {verdict.suspicion:.1f}"
            marks = [mark for mark, holds in (("suspect", verdict.suspect), ("not heard", not verdict.heard)) if holds]
            yield f"node {node}: {weight}{seen}" + (f" ({', '.join(marks)})" if marks else "")
        for what, nodes in (("dropped", self.dropped), ("failed", self.failed)):
            for node, reason in nodes.items():
                yield f"node {node}: {what}: {reason}"
        for node in self.absent:
            yield f"node {node}: no answer"
        if self.left_out:
            yield f"not asked any more: {', '.join(map(str, self.left_out))}"
        if self.unchanged:
            yield f"round {self.round} leaves the model as it was: {self.unchanged}"


WINDOW = 50
"""Rounds that are remembered: a node is judged by what it did lately."""


class Suspects:
    """Disagreement of the nodes over the last rounds, and who is not asked any more.

    A node that was suspect, or sent something unusable, in `after` rounds in which it was asked, one after another,
    is not asked again; 0 asks everybody for ever. At most `most` nodes are left out, the declared number: whoever
    could make the server leave out honest nodes would otherwise win a majority.
    """

    def __init__(self, after: int, most: int) -> None:
        self._after, self._most = after, most
        self._history: deque[Mapping[int, float]] = deque(maxlen=WINDOW)
        self._streaks: Counter[int] = Counter()
        self.left_out: dict[int, int] = {}
        """The nodes that are not asked any more, and the round after which that was decided."""

    def hear(self, round: int, shares: Mapping[int, float], unusable: Iterable[int]) -> dict[int, tuple[float, bool]]:
        """Take in a round: each node's disagreement. Return each one's suspicion, and whether it is a suspect."""
        bad = set(unusable)
        found: dict[int, tuple[float, bool]] = {}
        if shares:
            self._history.append(shares)
            nodes = sorted(set().union(*self._history))
            table = [[past.get(node) for node in nodes] for past in self._history]
            judged = zip(suspicion(table).tolist(), suspected(table).tolist(), strict=True)
            found = dict(zip(nodes, judged, strict=True))
        for node in shares.keys() | bad:
            self._streaks[node] = self._streaks[node] + 1 if node in bad or found[node][1] else 0
        self._leave_out(round)
        return found

    def _leave_out(self, round: int) -> None:
        if not self._after:
            return
        for node, streak in self._streaks.most_common():
            if streak >= self._after and node not in self.left_out and len(self.left_out) < self._most:
                self.left_out[node] = round
