"""The protocols of problems, and the scores by which models are compared."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite, isnan
from typing import Any, Protocol, TypeGuard, runtime_checkable

from holdfast.problems.worker_samples import Samples, Shards
from holdfast.typing import Features, Oracle, Targets, Vector, Workers


@dataclass(frozen=True)
class Score:
    """A number by which models are compared, one of those that `Problem.evaluate` returns."""

    name: str
    title: str
    """The name where there is room."""
    higher: bool = True
    """Whether more is better."""
    share: bool = True
    """Whether it lies between 0 and 1."""
    symbol: str = ""
    """The name in a sentence, if it differs."""
    least: float = -inf
    """The lowest value that charts show."""
    guessing: float | None = None
    """The value that needs no learning, where it is the same for all data: 0 for R2; None if the data tell it."""

    @property
    def called(self) -> str:
        """What it is called in a sentence."""
        return self.symbol or self.name

    def of(self, evaluation: Any) -> float | None:
        """Return the score at an evaluation; None if it was not measured."""
        if evaluation is None:
            return None
        named: float | None = getattr(evaluation, self.name, None)
        return evaluation.metrics.get(self.name) if named is None else named

    def goodness(self, value: float | None) -> float:
        """Return a number that is larger for better models; no value is the worst."""
        if value is None or isnan(value):
            return float("-inf")
        return value if self.higher else -value

    def text(self, value: float | None) -> str:
        """Return a value in a few characters."""
        if value is None:
            return "-"
        return f"{value:.3f}" if self.share else f"{value:.3g}"


ACCURACY = Score("accuracy", "test accuracy")
LOSS = Score("loss", "loss", higher=False, share=False)
"""The score where nothing else is measured."""


def declared_score(problem: Any) -> Score:
    """Return the score of a problem, or of the class that makes it: its `score`, else accuracy."""
    found = getattr(problem, "score", ACCURACY)
    return found if isinstance(found, Score) else ACCURACY


@runtime_checkable
class Problem(Protocol):
    """Local losses of workers numbered from 1, and measures of a model.

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
        """Return the model that all workers start from; a random one is drawn from an addressed stream."""

    def oracle(self, workers: Workers) -> Oracle:
        """Return the oracle of these workers: minibatch gradients at stacked models, or at one that all share."""

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        """Return the sum of these workers' full losses."""

    def evaluate(self, model: Vector) -> Mapping[str, float]:
        """Return the measures on test samples by name, such as `accuracy`; none without test samples.

        An attribute `score` of the problem, a `Score`, names the measure that compares models, if not accuracy.
        """


@runtime_checkable
class Separable(Problem, Protocol):
    """A problem that can drop the other workers' samples, where workers are spread over processes."""

    def only(self, first: int, last: int) -> Problem:
        """Return the problem with the samples of workers `first` to `last` alone."""


@runtime_checkable
class Classifying(Problem, Protocol):
    """A problem of samples in classes that shows each worker's samples: a model is right on a share of them."""

    classifies: bool
    """Whether targets are classes."""
    shards: Shards
    test: Samples | None
    """What models are measured on."""

    def accuracy(self, model: Vector, features: Features, targets: Targets) -> float | None:
        """Return the share of these samples that a model gets right."""


def is_problem(value: object) -> TypeGuard[Problem]:
    """Return whether the `problem` of a spec is a problem, rather than a name or a class or function that makes one."""
    return not isinstance(value, type) and isinstance(value, Problem)


def find_classes(problem: Problem) -> tuple[Classifying, Samples] | None:
    """Return a problem that learns classes, and its test samples; None if it has no classes or no test samples."""
    if not isinstance(problem, Classifying) or not problem.classifies or problem.test is None:
        return None
    return problem, problem.test


def bounds_gradients(problem: Problem) -> bool:
    """Return whether the gradient of the loss by the scores is known to be bounded."""
    return isfinite(getattr(problem, "gradient_bound", inf))


@runtime_checkable
class Divisible(Protocol):
    """An oracle that can serve some of its workers alone: others may stay idle, or be absent from a round."""

    def only(self, workers: Workers) -> Oracle: ...
