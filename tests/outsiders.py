"""Parts of somebody else, as the naming tests import them: outside the package, in every shape that is allowed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from holdfast.aggregators import Remembering
from holdfast.attacks import ColludingAttack, FullView, LocalAttack, LocalView
from holdfast.data import Dataset, Partition
from holdfast.methods import Aggregated, Method, Program, Ridge, Setting
from holdfast.streams import Stream
from holdfast.typing import Messages, Oracle, Rows, Vector, Workers


@dataclass(frozen=True)
class Middle:
    """A rule: the mean of the rows between two quantiles."""

    low: float = 0.25
    high: float = 0.75

    def __call__(self, rows: Rows) -> Vector:
        return np.asarray(np.quantile(rows, [self.low, self.high], axis=0).mean(axis=0), rows.dtype)


def first_row(rows: Rows) -> Vector:
    """A rule that is a function."""
    vector: Vector = rows[0]
    return vector


class Halved:
    """A rule that is no dataclass; it keeps its option under its name."""

    def __init__(self, factor: float = 0.5) -> None:
        self.factor = factor

    def __call__(self, rows: Rows) -> Vector:
        vector: Vector = self.factor * np.median(rows, axis=0).astype(rows.dtype)
        return vector


class Forgetful:
    """A rule that hides its option, so that nobody could write it down."""

    def __init__(self, factor: float = 0.5) -> None:
        self._hidden = factor

    def __call__(self, rows: Rows) -> Vector:
        vector: Vector = self._hidden * rows[0]
        return vector


class LastMedian(NamedTuple):
    """What `Lagged` remembers."""

    vector: Vector


@dataclass(frozen=True)
class Lagged(Remembering[Any]):
    """A rule with memory: the mean of this round's median and the last one."""

    def init(self, model: Vector) -> Any:
        return LastMedian(np.zeros_like(model))

    def step(self, state: Any, messages: Messages) -> tuple[Vector, Any]:
        median = np.median(np.asarray(messages.rows), axis=0).astype(state.vector.dtype)
        return (median + state.vector) / 2, LastMedian(median)


@dataclass(frozen=True)
class Clipped:
    """A stage: rows no longer than `length`."""

    length: float = 1.0

    def __call__(self, messages: Messages) -> Messages:
        rows = np.asarray(messages.rows)
        sizes = np.linalg.norm(rows, axis=1, keepdims=True)
        return messages._replace(rows=(rows * np.minimum(1, self.length / np.maximum(sizes, 1e-12))).astype(rows.dtype))


@dataclass(frozen=True)
class Doubled(LocalAttack):
    """An attack of one worker: its message, times `times`."""

    times: float = 2.0
    kind: Literal["plain", "opposite"] = "plain"

    def __call__(self, view: LocalView, /) -> Rows:
        sign = 1.0 if self.kind == "plain" else -1.0
        return (sign * self.times * view.own).astype(view.own.dtype)


@dataclass(frozen=True)
class Crowd(ColludingAttack):
    """An attack of all: minus the mean of the honest messages."""

    def __call__(self, view: FullView, /) -> Rows:
        return np.broadcast_to(-view.honest.mean(axis=0), view.own.shape).astype(view.own.dtype)


@dataclass(frozen=True)
class Broken(ColludingAttack):
    """An attack that fails when it is first used."""

    def __call__(self, view: FullView, /) -> Rows:
        raise RuntimeError("nothing to send")


@dataclass(frozen=True)
class Stripes(Partition):
    """A partition: sample k goes to worker k mod m; shifted by `offset`."""

    offset: int = 0

    def deal(self, labels: Any, workers: int, generator: np.random.Generator) -> list[Any]:
        numbers = (np.arange(len(labels)) + self.offset) % workers
        return [np.flatnonzero(numbers == worker) for worker in range(workers)]


@dataclass(frozen=True)
class Plain(Method):
    """A method of one's own: plain averaging, with a factor."""

    factor: float = 1.0

    def program(self, setting: Setting) -> Program:
        return Aggregated(Halved(self.factor)).program(setting._replace(prior=Ridge(0.0)))


def squares(size: int = 60) -> Dataset:
    """Data of one's own: a function that makes them, with an option."""
    features = np.random.default_rng(1).normal(size=(size, 2, 3))
    return Dataset.split("squares", features, (features.sum(axis=(1, 2)) > 0).astype(np.int64))


class Quadratic:
    """A problem of one's own: F_i(x) = |x - c_i|^2 / 2 with addressed noise on the gradients, and a random start."""

    def __init__(self, centres: Rows, seed: int = 0, noise: float = 0.1) -> None:
        self.centres, self.seed, self.noise = centres, seed, noise

    @staticmethod
    def of(
        data: Dataset,
        partition: Partition,
        workers: int,
        batch: int,
        *,
        scale: float,
        weight: float,
        dtype: str,
        seed: int,
    ) -> "Quadratic":
        """As a spec makes it: the centres are the workers' mean features."""
        parts = partition.deal(data.train_targets, workers, Stream(seed, "partition").generator())
        flat = data.train_features.reshape(len(data.train_features), -1)
        return Quadratic(np.stack([flat[part].mean(axis=0) for part in parts]).astype(dtype), seed)

    @property
    def dimension(self) -> int:
        return int(self.centres.shape[1])

    @property
    def workers(self) -> Workers:
        return np.arange(1, len(self.centres) + 1)

    def start(self) -> Vector:
        start: Vector = Stream(self.seed, "start").normals(np.array([0]), 0, self.dimension)[0]
        return start.astype(self.centres.dtype)

    def oracle(self, workers: Workers) -> "Noisy":
        return Noisy(self, workers)

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        away = model - self.centres[np.array(list(workers)) - 1]
        return float((away.astype(np.float64) ** 2).sum() / 2)

    def evaluate(self, model: Vector) -> dict[str, float]:
        return {"length": float(np.linalg.norm(model)), "worst": float(np.abs(model - self.centres).max())}


@dataclass(frozen=True)
class Noisy:
    """The gradients of some workers; those of others are left alone."""

    problem: Quadratic
    numbers: Workers

    def __call__(self, models: Rows, round: int, /) -> Rows:
        noise = Stream(self.problem.seed, "noise").normals(self.numbers, round, self.problem.dimension)
        gradients = models - self.problem.centres[self.numbers - 1] + self.problem.noise * noise
        return gradients.astype(models.dtype)

    def only(self, workers: Workers) -> "Noisy":
        return Noisy(self.problem, workers)


class Undivided(Quadratic):
    """The same, whose oracle serves all of its workers or none."""

    def oracle(self, workers: Workers) -> Oracle:  # type: ignore[override]
        whole: Callable[..., Rows] = Noisy(self, workers).__call__
        return lambda models, round, /: whole(models, round)
