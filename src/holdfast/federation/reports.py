"""What became of a round, and of every node in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


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
