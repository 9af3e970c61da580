"""The shapes and protocols that every part of holdfast speaks.

Workers are numbered from 1 to m as in the paper, where 0 is the master. The leading axis of an
array is the workers: a rule that is given `(n, d)` rows does to each row what it would do to it alone.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
"""An array of any number type and shape."""
Vector = NDArray[np.floating[Any]]
"""One model or gradient, of shape `(d,)`."""
Rows = NDArray[np.floating[Any]]
"""Models or gradients of several workers, of shape `(..., d)`."""
Distances = NDArray[np.float64]
"""Squared Euclidean distances between n rows, of shape `(n, n)`."""
Workers = NDArray[np.int64]
"""Numbers of workers, of shape `(n,)`, counted from 1."""

Features = Array
"""Raw features of samples, of shape `(N, ...)`, of any number type."""
Targets = Array
"""Classes, numbered from 0, or numbers, of shape `(N,)`."""

Json = dict[str, Any]
"""An object of strict JSON, or a table of TOML."""

Bits = NDArray[np.uint8]
"""One bit per coordinate for several workers, planar, of shape `(n, bit_width(d))`."""

Schedule = Callable[[int], float]
"""The step size of a round: `rate(k)` is the paper's alpha^{k+1}."""


class Tally(NamedTuple):
    """For each coordinate the number of voters whose bit is set: those with x0 > x_i (l1-RSA in one bit)."""

    ones: NDArray[np.unsignedinteger[Any]]
    voters: int

    def signs(self, dtype: DTypeLike) -> Vector:
        """Return sum_i sign(x0 - x_i), ties decided: each voter adds 1 or -1.

        >>> Tally(np.array([0, 2, 3], np.uint8), voters=3).signs(np.float32)
        array([-3.,  1.,  3.], dtype=float32)
        """
        signs: Vector = self.ones.astype(dtype)
        signs *= 2
        signs -= self.voters
        return signs


class Sides(NamedTuple):
    """For each worker and coordinate one bit, set where x0 > x_i: what a master is sent that asks whose bits they are.

    There are no ties: the encoder has decided them.
    """

    bits: Bits
    dimension: int


class Request(NamedTuple):
    """What some workers are asked in a round: to answer the master's model."""

    model: Vector
    workers: Workers
    round: int
    seed: int = 0
    """The run's random seed: each draw depends only on seed, purpose, worker and round."""


class Messages(NamedTuple):
    """The messages of one round, and everything that an element on their way may ask."""

    rows: Rows | Sides | Tally
    """One row per worker that answered, of numbers or of bits, or the count of their bits."""
    workers: Workers
    """The numbers of the workers that answered, in the order of the rows."""
    round: int
    seed: int = 0
    """The run's random seed: each draw depends only on seed, purpose, worker and round."""
    model: Vector = np.empty(0)
    """The master's model, which they answer."""
    weights: NDArray[np.float64] | None = None
    """How much each row counts, where an element says so; None if all count the same."""
    crossed: bool = False
    """Whether they are encoded as they cross; if not, they are answers of the local rule."""

    @property
    def numbers(self) -> Rows:
        """The rows of workers that send numbers, not bits."""
        return cast(Rows, self.rows)

    @staticmethod
    def of(rows: Rows) -> "Messages":
        """Return bare rows as the messages of workers 1 to n in round 0, about a model of zeros."""
        return Messages(rows, np.arange(1, len(rows) + 1), 0, model=np.zeros_like(rows[0]))


class Oracle(Protocol):
    """Stochastic gradients of the local losses, one row per worker, at these models."""

    def __call__(self, models: Rows, round: int, /) -> Rows: ...


State = Any
"""A NamedTuple of arrays, or of such NamedTuples, to map onto a checkpoint; each part has fields of its own."""
S = TypeVar("S")
"""A state."""


class Nothing(NamedTuple):
    """The state of a part without memory."""


class Worker(Protocol[S]):
    """The local rule of honest workers; all of them at once, one row each."""

    def init(self, models: Rows) -> S:
        """Return the state of workers that start from these models."""

    def step(self, state: S, request: Request, oracle: Oracle) -> tuple[Rows, S]:
        """Return the answers to a request, and the state after the round."""

    def iterates(self, state: S, model: Vector) -> Rows:
        """Return the models that the workers hold while the master holds `model`; one for all if they share it."""

    def neutral(self, model: Vector) -> Vector:
        """Return the message that pulls a master at `model` nowhere."""
