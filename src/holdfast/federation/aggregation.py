"""A rule and the stages before it, on the updates of nodes."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, Self, cast

import numpy as np

from holdfast import kernels
from holdfast.aggregators import Mean, Weighted
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Program, Served, make_method, tell, try_fewer
from holdfast.methods.names import method_text
from holdfast.typing import Messages, Rows, Vector

NO_MODEL = np.empty(0)
"""In place of x0 in what is remembered: rules on updates do not ask for it, and a row would keep all rows in memory."""


class Aggregate(NamedTuple):
    """What a rule made of the updates of one round."""

    vector: Vector
    weights: Vector | None
    """Each update's share in the vector, where the rule has such shares."""
    memory: Served


@dataclass(frozen=True)
class Aggregation:
    """Any rule or composition of ours that is told that up to `declared` nodes may be Byzantine.

    >>> rows = np.array([[1.0], [2.0], [3.0], [99.0]], np.float32)
    >>> Aggregation.of("nnm+trimmed-mean", declared=1)(Messages(rows, np.arange(1, 5), 0)).vector.round(3)
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
        self(Messages.of(np.zeros((nodes, 2), np.float32)))

    @cached_property
    def program(self) -> Program:
        """The program that aggregates updates."""
        return self.method.on_rows(self.declared)

    def __call__(self, messages: Messages, memory: Served | None = None, found: int = 0) -> Aggregate:
        """Return what the rule makes of the updates, of `found` fewer nodes than answered.

        A reply that could not be used was one of the declared ones. Still the rule is told the whole number,
        and a smaller one only if so few updates are left that it cannot work with more.
        """
        first = cast(Rows, messages.rows)[0]
        state = self.program.init(first) if memory is None else memory._replace(model=first)
        return try_fewer(self.program, found, partial(self._play, state, messages))

    def _play(self, state: Served, messages: Messages, program: Program) -> Aggregate:
        n, declared = len(messages.workers), program.declared
        if n <= 2 * declared:
            raise InvalidInput(f"{self} needs n > 2 * declared, a majority that is honest; got {n=}, {declared=}")
        rule = tell(program.rule, declared)
        if isinstance(rule, Weighted) and not program.reading:
            rows = cast(Rows, messages.rows)
            weights = rule.weights(rows)
            return Aggregate(kernels.combination(weights, rows), weights, state._replace(model=NO_MODEL))
        vector, state = program.direction(state, messages)
        return Aggregate(vector, None, state._replace(model=NO_MODEL))

    def __str__(self) -> str:
        return method_text(self.method)
