"""A rule and the stages before it, on the updates of nodes."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self, cast

import numpy as np

from holdfast import kernels
from holdfast.aggregators import Mean, Weighted
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, make_method
from holdfast.methods.aggregated import told
from holdfast.methods.masters import AggregateSum
from holdfast.methods.names import method_text
from holdfast.typing import Received, Rows, Vector


class Aggregate(NamedTuple):
    """What a rule made of the updates of one round."""

    vector: Vector
    weights: Vector | None
    """Each update's share in the vector, where the rule has such shares."""
    memory: Any


@dataclass(frozen=True)
class Aggregation:
    """Any rule or composition of ours that is told that up to `declared` nodes may be Byzantine.

    >>> rows = np.array([[1.0], [2.0], [3.0], [99.0]], np.float32)
    >>> Aggregation.of("nnm+trimmed-mean", declared=1)(Received(rows, np.arange(1, 5), 0)).vector.round(3)
    array([2.], dtype=float32)
    """

    method: Aggregated
    declared: int

    @classmethod
    def of(cls, rule: Any, declared: int) -> Self:
        """Return the aggregation that a text, a table or an object names."""
        method = make_method(rule)
        if not isinstance(method, Aggregated):
            raise InvalidInput(f"rule must be a rule on updates, such as nnm+trimmed-mean; got {method_text(method)}")
        if isinstance(declared, bool) or not isinstance(declared, int) or declared < 0:
            raise InvalidInput(f"declared must be a whole number from 0 on; got {declared!r}")
        return cls(method, declared)

    @property
    def is_mean(self) -> bool:
        """Whether this is the plain mean, which needs no more than one update at a time."""
        return isinstance(self.method.rule, Mean) and not self.method.stages

    def check(self, nodes: int) -> None:
        """Say before the first round if so many nodes are too few."""
        nothing = np.zeros((nodes, 2), np.float32)
        self(Received(nothing, np.arange(1, nodes + 1), 0), self.remembered(nothing[0]))

    def remembered(self, model: Vector) -> Any:
        """Return what the stages and the rule remember before the first round."""
        return self._parts(self.declared).init(model)

    def __call__(self, received: Received, memory: Any = None, found: int = 0) -> Aggregate:
        """Return what the rule makes of the updates, of `found` fewer nodes than answered.

        A reply that could not be used was one of the declared ones. Still the rule is told the whole number,
        and a smaller one only if so few updates are left that it cannot work with more.
        """
        if memory is None:
            memory = self.remembered(cast(Rows, received.rows)[0])
        least = max(self.declared - found, 0)
        for declared in range(self.declared, least, -1):
            try:
                return self._told(declared, received, memory)
            except InvalidInput:
                continue
        return self._told(least, received, memory)

    def _told(self, declared: int, received: Received, memory: Any) -> Aggregate:
        n = len(received.workers)
        if n <= 2 * declared:
            raise InvalidInput(f"{self} needs n > 2 * declared, a majority that is honest; got {n=}, {declared=}")
        parts, rows = self._parts(declared), cast(Rows, received.rows)
        if isinstance(parts.rule, Weighted) and not parts.stages:
            weights = parts.rule.weights(rows)
            return Aggregate(kernels.combination(weights, rows), weights, memory)
        vector, memory = parts.aggregate(rows[0], received, memory)
        return Aggregate(vector, None, memory)

    def _parts(self, declared: int) -> AggregateSum:
        rule, *stages = (told(part, declared) for part in (self.method.rule, *self.method.stages))
        return AggregateSum(rule, tuple(stages))

    def __str__(self) -> str:
        return method_text(self.method)
