"""Threat models: what an attacker knows and may change. The base class of an attack is its threat model."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.conversion import convert_fields
from holdfast.typing import Rows, S, Vector, Workers

Labels = NDArray[np.integer[Any]]
"""Classes of samples, numbered from 0, of shape `(N,)`."""


@dataclass(frozen=True)
class LocalView:
    """What compromised workers know by themselves, one row per worker."""

    own: Rows
    """The messages of these workers if they were honest; arbitrary if the attack does not use them."""
    neutral: Vector
    """The message that pulls the master nowhere: its model if messages are models, 0 if gradients."""
    workers: Workers
    """The numbers of these workers."""
    round: int
    seed: int


class Sketch(NamedTuple):
    """The master's rule in few coordinates."""

    by_columns: bool
    """Whether the rule looks at one coordinate at a time, after stages that see lengths and angles only."""
    ask: Callable[[Rows, int], Vector]
    """The master's direction for messages less `neutral`, in coordinates of an orthonormal basis of their space.

    These coordinates are the first columns, as many as the second argument says. With `by_columns` the direction is
    that of the columns behind them.
    """


@dataclass(frozen=True)
class FullView(LocalView):
    """What the paper's omniscient, colluding adversary knows: every honest message too."""

    honest: Rows
    """The messages of the honest workers, one row each."""
    honest_workers: Workers
    """The numbers of these honest workers."""
    absent: Workers = field(default_factory=lambda: np.empty(0, np.int64))
    """The numbers of the honest workers that do not answer in this round."""
    aggregate: Callable[[Rows], Vector] | None = None
    """The master's direction for this round's messages: those of `honest_workers`, then those of `workers`.

    A pure function that includes the master's memory. None where it is unknown.
    """
    sketch: "Sketch | None" = None
    """The same in few coordinates, if the master sees lengths and angles only; else None."""

    @staticmethod
    def of(
        honest: Any, byzantine: int = 1, neutral: Any = 0.0, aggregate: Callable[[Rows], Vector] | None = None
    ) -> "FullView":
        """Return a first round in which workers 1 to h are honest and send these rows, for trying attacks by hand.

        The Byzantine workers' own messages are neutral ones.

        >>> view = FullView.of([[1.0, 2.0], [3.0, 4.0]], byzantine=2)
        >>> view.workers, view.own.shape
        (array([3, 4]), (2, 2))
        """
        rows = np.asarray(honest)
        everyone = np.arange(1, len(rows) + byzantine + 1)
        middle = np.broadcast_to(np.asarray(neutral, rows.dtype), rows.shape[1:])
        own = np.broadcast_to(middle, (byzantine, *rows.shape[1:]))
        known = (rows, everyone[: len(rows)])
        return FullView(own, middle, everyone[len(rows) :], 0, 0, *known, aggregate=aggregate)


class _Attack:
    cites: ClassVar[tuple[str, ...]] = ()
    """Its sources, as keys of `holdfast.citations`."""
    uses_own: ClassVar[bool] = True
    """Whether it reads `view.own`; if not, Byzantine workers skip their own gradient."""

    def __post_init__(self) -> None:
        convert_fields(self)  # a NumPy scalar would decide the messages' type

    @property
    def searches(self) -> bool:
        """Whether the attack asks `view.aggregate`; without one it sends what it would send without a search."""
        return False

    def check(self, honest: Workers) -> None:
        """Raise InvalidInput if the attack cannot work beside these honest workers."""

    def check_counts(self, workers: int, byzantine: int) -> None:
        """Raise InvalidInput if the attack has no answer where `byzantine` of all `workers` are Byzantine."""

    def caution(self) -> str | None:
        """Return a sentence if its options are probably a mistake."""
        return None


class LocalAttack(_Attack, ABC):
    """An attack that one compromised worker can mount alone."""

    @abstractmethod
    def __call__(self, view: LocalView, /) -> Rows:
        """Return what the workers of the view send, one row each."""


class ColludingAttack(_Attack, ABC):
    """An attack of workers that act together and see every honest message."""

    uses_own: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, view: FullView, /) -> Rows:
        """Return what the workers of the view send, one row each."""


Attack = LocalAttack | ColludingAttack


class WithMemory(ABC, Generic[S]):
    """An attack with memory: state in, state out. Name it before the threat model among the base classes.

    All Byzantine workers share one state. It is kept in the master's process and in the run's checkpoint, and does not
    change in rounds without them. Called on a bare view, the attack answers as in its first round.
    """

    @abstractmethod
    def init(self, neutral: Vector, byzantine: Workers) -> S:
        """Return the memory before the first round of all `byzantine` workers, whose messages are like `neutral`."""

    @abstractmethod
    def step(self, state: S, view: Any) -> tuple[Rows, S]:
        """Return what the workers of the view send, one row each, and the memory after the round."""

    def __call__(self, view: Any, /) -> Rows:
        return self.step(self.init(view.neutral, view.workers), view)[0]


class LabelPoisoning(LocalAttack):
    """An attack through the data: workers follow the method on samples with other labels."""

    @abstractmethod
    def relabel(self, labels: Labels, classes: int, worker: int, seed: int) -> Labels:
        """Return the labels that a worker learns from, once for the whole run."""

    def __call__(self, view: LocalView, /) -> Rows:
        return view.own


class BatchPoisoning(LocalAttack):
    """An attack through the data with labels that depend on the model, chosen for every minibatch."""

    @abstractmethod
    def relabel(self, labels: Labels, scores: Rows) -> Labels:
        """Return the labels to learn from, given the `(N, classes)` scores of the worker's model."""

    def __call__(self, view: LocalView, /) -> Rows:
        return view.own


def broadcast(vector: Vector, view: LocalView) -> Rows:
    """Return one message per worker, all this vector."""
    return np.broadcast_to(vector.astype(view.own.dtype), view.own.shape)


def honest_mean(view: FullView) -> NDArray[np.float64]:
    """Return the mean of the honest messages, the mu of most attacks, in float64."""
    mean: NDArray[np.float64] = view.honest.mean(axis=0, dtype=np.float64)
    return mean


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a vector scaled to length 1; 0 stays 0."""
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector
