"""From the usable replies of one round to a new model: by a rule on stacked updates, or by one sum for the mean."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from holdfast import kernels
from holdfast.aggregators import Mean, Weighted
from holdfast.errors import InvalidInput
from holdfast.federation.model_layout import Arrays, Layout, Model, Unfit
from holdfast.methods import Aggregated, Program, Served, make_method, tell, try_fewer
from holdfast.methods.names import method_text
from holdfast.streams import Stream
from holdfast.typing import Messages, Vector
from holdfast.watching.suspicion import Disagreement, disagreement

NO_MODEL = np.empty(0)
"""In place of x0 in the memory: rules on updates do not read x0, and a row would keep all rows alive."""
SAMPLE = 2**13
"""Coordinates on which nodes are compared: the share on which two differ is then known to 0.006."""


class Aggregate(NamedTuple):
    """What a rule made of the updates of one round."""

    vector: Vector
    weights: Vector | None
    """Each update's share in the vector, where the rule has such shares."""
    memory: Served | None


@dataclass(frozen=True)
class Aggregation:
    """Any rule or composition of the catalogue, for up to `declared` Byzantine nodes.

    >>> rows = np.array([[1.0], [2.0], [3.0], [99.0]], np.float32)
    >>> Aggregation.of("nnm+trimmed-mean", declared=1)(Messages(rows, np.arange(1, 5), 0)).vector.round(3)
    array([2.], dtype=float32)
    """

    method: Aggregated
    declared: int

    @classmethod
    def of(cls, rule: object, declared: int) -> Self:
        """Return the aggregation that a text, a table or an object names."""
        method = make_method(rule)
        if not isinstance(method, Aggregated):
            raise InvalidInput(f"rule must be a rule on updates, such as nnm+trimmed-mean; got {method_text(method)}")
        if type(declared) is not int or declared < 0:
            raise InvalidInput(f"declared must be a whole number from 0 on; got {declared!r}")
        return cls(method, declared)

    @property
    def is_mean(self) -> bool:
        """Whether this is the plain mean, which needs one update at a time only."""
        return isinstance(self.method.rule, Mean) and not self.method.stages

    def check(self, nodes: int) -> None:
        """Raise InvalidInput if the rule needs more nodes than this."""
        self(Messages.of(np.zeros((nodes, 2), np.float32)))

    @cached_property
    def program(self) -> Program:
        """The program that aggregates updates."""
        return self.method.on_rows(self.declared)

    def __call__(self, messages: Messages, memory: Served | None = None, unusable: int = 0) -> Aggregate:
        """Return what the rule makes of the updates, after `unusable` further replies were dropped.

        The sender of an unusable reply was one of the declared nodes. The rule is still told the whole number, and a
        smaller one only if it cannot work otherwise.
        """
        first = messages.numbers[0]
        state = self.program.init(first) if memory is None else memory._replace(model=first)
        return try_fewer(self.program, unusable, partial(self._play, state, messages))

    def _play(self, state: Served, messages: Messages, program: Program) -> Aggregate:
        n, declared = len(messages.workers), program.declared
        if n <= 2 * declared:
            raise InvalidInput(f"{self} needs n > 2 * declared, a majority that is honest; got {n=}, {declared=}")
        rule = tell(program.rule, declared)
        if isinstance(rule, Weighted) and not program.reading:
            rows = messages.numbers
            weights = rule.weights(rows)
            return Aggregate(kernels.combination(weights, rows), weights, state._replace(model=NO_MODEL))
        vector, state = program.direction(state, messages)
        return Aggregate(vector, None, state._replace(model=NO_MODEL))

    def __str__(self) -> str:
        return method_text(self.method)


class Result(NamedTuple):
    """A new model, each node's weight in it where the rule has weights, and what stages and rule remember."""

    model: Model
    weights: Vector | None
    memory: Served | None


class UsableReplies(ABC):
    """Replies to one layout. Counters and masks are kept apart: distances and means have no meaning for them."""

    def __init__(self, sent: Layout, seed: int) -> None:
        self._sent, self._seed = sent, seed
        self.nodes: list[int] = []
        """The nodes whose replies are here."""
        self._others: list[Arrays] = []
        self._samples: list[Vector] = []
        self._coordinates = _draw_coordinates(len(sent.vector), seed)

    def add(self, node: int, arrays: Arrays) -> None:
        """Take in a reply; Unfit if its update cannot be used."""
        self._take(node, arrays)
        self._samples.append(self._sent.sample(arrays, self._coordinates))
        self._others.append(self._sent.others(arrays))
        self.nodes.append(node)

    def disagreement(self) -> Disagreement:
        """Compare the nodes' updates on a sample of the coordinates."""
        return disagreement(np.stack(self._samples), np.zeros_like(self._samples[0]))

    def result(self, round: int, memory: Served | None, unusable: int) -> Result:
        """Return the new model; OverflowError if it is not finite. `unusable` further replies were dropped."""
        vector, weights, memory = self._aggregate(round, memory, unusable)
        model = self._sent.model(vector, _lower_medians(self._others))
        if not all(np.isfinite(array).all() for array in model.values()):
            raise OverflowError("a model must stay finite; got an overflow")
        return Result(model, weights, memory)

    @abstractmethod
    def _take(self, node: int, arrays: Arrays) -> None: ...

    @abstractmethod
    def _aggregate(self, round: int, memory: Served | None, unusable: int) -> Aggregate:
        """Return the new model's floats as one vector."""


class StackedReplies(UsableReplies):
    """The updates as rows, for any rule."""

    def __init__(self, sent: Layout, seed: int, aggregation: Aggregation, numbers: Mapping[int, int]) -> None:
        super().__init__(sent, seed)
        self._aggregation, self._numbers = aggregation, numbers
        self._rows = np.empty((len(numbers), len(sent.vector)), sent.vector.dtype)

    def _take(self, node: int, arrays: Arrays) -> None:
        self._sent.difference(arrays, out=self._rows[len(self.nodes)])

    def _aggregate(self, round: int, memory: Served | None, unusable: int) -> Aggregate:
        rows = self._rows[: len(self.nodes)]
        workers = np.array([self._numbers[node] for node in self.nodes])
        update = self._aggregation(Messages(rows, workers, round, self._seed), memory, unusable)
        with np.errstate(over="ignore"):
            return update._replace(vector=self._sent.vector + update.vector)


class AveragedReplies(UsableReplies):
    """The mean, by one sum over the bytes that came: it needs the memory of one model beyond them."""

    def __init__(self, sent: Layout, seed: int, examples: Mapping[int, float] | None) -> None:
        super().__init__(sent, seed)
        self._examples = examples
        self._replies: list[Arrays] = []

    def _take(self, node: int, arrays: Arrays) -> None:
        if self._examples is not None and node not in self._examples:
            raise Unfit("a node must have examples declared by the server; got none")
        self._replies.append(arrays)

    def _aggregate(self, round: int, memory: Served | None, unusable: int) -> Aggregate:
        counts = [1.0 if self._examples is None else float(self._examples[node]) for node in self.nodes]
        total = self._sent.total(self._replies, [] if self._examples is None else counts)
        total /= total.dtype.type(sum(counts))
        return Aggregate(total, np.array(counts) / sum(counts), memory)


def _lower_medians(others: list[Arrays]) -> Arrays:
    """Return the lower median of every entry: a value that some node sent, between two honest ones if most are."""
    return [np.asarray(np.sort(np.stack(same), axis=0)[(len(same) - 1) // 2]) for same in zip(*others, strict=True)]


@lru_cache(maxsize=1)
def _draw_coordinates(dimension: int, seed: int) -> NDArray[np.int64]:
    """Return the coordinates on which nodes are compared, in order: all, or a sample that no node can guess."""
    if dimension <= SAMPLE:
        return np.arange(dimension)
    return np.sort(Stream(seed, "compared coordinates").generator().integers(0, dimension, SAMPLE))
