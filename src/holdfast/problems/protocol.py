"""What is learned, as everything else sees it."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from numpy.typing import NDArray

from holdfast.problems.shards import Shards
from holdfast.typing import Oracle, Vector, Workers


class Samples(NamedTuple):
    """Features `(N, ...)` and their targets `(N,)`."""

    features: NDArray[Any]
    targets: NDArray[Any]


@runtime_checkable
class Problem(Protocol):
    """Local losses of workers numbered from 1, and what a model is worth.

    All randomness is addressed by (seed, purpose, worker, round): the same call gives the same answer, and a worker
    alone gets what it gets among others.
    """

    @property
    def dimension(self) -> int:
        """The length of a model."""

    @property
    def workers(self) -> Workers:
        """The numbers of all workers, in order."""

    def start(self) -> Vector:
        """Return the model that everyone starts from; drawn from an addressed stream if it is random."""

    def oracle(self, workers: Workers) -> Oracle:
        """Return what gives these workers minibatch gradients at stacked models, or at one that all share."""

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        """Return the sum of these workers' full losses."""

    def evaluate(self, model: Vector) -> Mapping[str, float]:
        """Return what is measured on test samples, such as `accuracy`; nothing if there are none.

        An attribute `score` of the problem, a `Score`, says by which of them models are judged, if not by accuracy.
        """


@runtime_checkable
class Separable(Problem, Protocol):
    """A problem that can let go of the other workers' samples, where workers are spread over processes."""

    def only(self, first: int, last: int) -> Problem:
        """Return the problem with the samples of workers `first` to `last` alone."""


@runtime_checkable
class Classifying(Problem, Protocol):
    """A problem of samples in classes, which says who holds what: a model is right on a share of samples."""

    classifies: bool
    """Whether targets are classes."""
    shards: Shards
    test: Samples | None
    """What models are measured on."""

    def accuracy(self, model: Vector, features: NDArray[Any], targets: NDArray[Any]) -> float | None:
        """Return the share of these samples that a model gets right."""


@runtime_checkable
class Divisible(Protocol):
    """An oracle that can serve some of its workers alone: others may stay idle, or be absent from a round."""

    def only(self, workers: Workers) -> Oracle: ...
