"""What an attacker knows and may change. The base class of an attack is its threat model."""

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
    """What compromised workers know by themselves, one row each."""

    own: Rows
    """The messages they would send if they were honest; anything where the attack does not use them."""
    neutral: Vector
    """The message that pulls the master nowhere: its model if messages are models, 0 if gradients."""
    workers: Workers
    """Their numbers."""
    round: int
    seed: int


class Sketch(NamedTuple):
    """How a master can be asked in few coordinates."""

    by_columns: bool
    """Whether it looks at one coordinate at a time, once messages are mixed by lengths and angles."""
    ask: Callable[[Rows, int], Vector]
    """What it would make of messages less `neutral`, by coordinates in any orthonormal basis of a space of theirs.

    They are the first so many columns. `by_columns`, it answers for the columns behind them.
    """


@dataclass(frozen=True)
class FullView(LocalView):
    """What the paper's omniscient, colluding adversary knows: also all that honest workers send."""

    honest: Rows
    """The messages of the honest workers, one row each."""
    honest_workers: Workers
    """The numbers of these honest workers."""
    absent: Workers = field(default_factory=lambda: np.empty(0, np.int64))
    """The numbers of the honest workers that do not answer in this round."""
    aggregate: Callable[[Rows], Vector] | None = None
    """What the master would make of this round's messages, first those of `honest_workers`, then those of `workers`.

    A pure function, with the master's memory: asking changes nothing. None where that is unknown.
    """
    sketch: "Sketch | None" = None
    """The same in few coordinates, for a master that sees this round's lengths and angles only; else None."""

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

    def __post_init__(self) -> None:
        convert_fields(self)  # a NumPy scalar would decide the messages' type

    @property
    def searches(self) -> bool:
        """Whether it asks `view.aggregate`; without, it falls back to what it would send without a search."""
        return False

    def check(self, honest: Workers) -> None:
        """Say before the first round if the attack cannot work beside these honest workers."""

    def caution(self) -> str | None:
        """Return in a sentence why its options are likely not meant, if so."""
        return None


class LocalAttack(_Attack, ABC):
    """An attack that one compromised worker can mount alone."""

    uses_own: ClassVar[bool] = True
    """Whether it reads `view.own`; if not, Byzantine workers skip their own gradient."""

    @abstractmethod
    def __call__(self, view: LocalView, /) -> Rows:
        """Return what the workers of the view send, one row each."""


class ColludingAttack(_Attack, ABC):
    """An attack of workers that act together and see every honest message."""

    uses_own: ClassVar[bool] = False
    """Whether it reads `view.own`; if not, Byzantine workers skip their own gradient."""

    @abstractmethod
    def __call__(self, view: FullView, /) -> Rows:
        """Return what the workers of the view send, one row each."""


Attack = LocalAttack | ColludingAttack


class WithMemory(ABC, Generic[S]):
    """An attack with memory: state in, state out. Name it before the threat model among the base classes.

    The state of all Byzantine workers is one, in the master's process on every engine, and in the run's checkpoint.
    It does not change in rounds without them. Called on a bare view, the attack answers as in its first round.
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
    """An attack through the data: its workers follow every rule, but learn from samples with other labels."""

    @abstractmethod
    def relabel(self, labels: Labels, classes: int, worker: int, seed: int) -> Labels:
        """Return what a worker takes for the labels of its samples, once for the whole run."""

    def __call__(self, view: LocalView, /) -> Rows:
        return view.own


class BatchPoisoning(LocalAttack):
    """The same, with labels that depend on the model: chosen anew for every minibatch."""

    @abstractmethod
    def relabel(self, labels: Labels, scores: Rows) -> Labels:
        """Return what to take for the labels of samples to which the worker's model gives `(N, classes)` scores."""

    def __call__(self, view: LocalView, /) -> Rows:
        return view.own


def broadcast(vector: Vector, view: LocalView) -> Rows:
    """Return the messages of workers that all send this vector."""
    return np.broadcast_to(vector.astype(view.own.dtype), view.own.shape)


def honest_mean(view: FullView) -> NDArray[np.float64]:
    """Return the mean of the honest messages, the mu of most attacks, in float64."""
    mean: NDArray[np.float64] = view.honest.mean(axis=0, dtype=np.float64)
    return mean
