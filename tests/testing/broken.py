"""Parts that each break one law, and the law that must be reported."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.aggregators import CoordinateWise, Remembering, Weighted
from holdfast.attacks import ColludingAttack, FullView, LocalAttack, LocalView
from holdfast.data import Iid, Partition
from holdfast.methods import Aggregated, GradientWorker, IdealSgd, Penalty, Program, Setting
from holdfast.onebit import Encoder
from holdfast.problems import Softmax
from holdfast.stages import Stage
from holdfast.testing.problem_laws import few_samples
from holdfast.typing import Messages, Nothing, Oracle, Request, Rows, Vector, Workers

BREAKS: dict[str, list[tuple[Any, str]]] = {}
"""By kind of part: a broken one, and the law that it breaks."""


def breaks(kind: str, law: str, *arguments: Any) -> Callable[[Any], Any]:
    def added(member: Any) -> Any:
        BREAKS.setdefault(kind, []).append((member(*arguments) if isinstance(member, type) else member, law))
        return member

    return added


# rules ---------------------------------------------------------------------------------------------------------------


@breaks("rule", "gives-one-vector")
def always_wide(rows: Rows) -> Any:
    return rows.mean(axis=0, dtype=np.float64)


@breaks("rule", "gives-one-vector")
def a_row_too_many(rows: Rows) -> Any:
    return rows.mean(axis=0, keepdims=True)


@breaks("rule", "gives-one-vector")
def divides_by_spread(rows: Rows) -> Any:
    return (rows / rows.std(axis=0)).mean(axis=0)


@breaks("rule", "leaves-its-input")
def sorts_in_place(rows: Rows) -> Any:
    rows.sort(axis=0)
    return rows[len(rows) // 2].copy()


@breaks("rule", "repeats-itself")
class Forgetful:
    def __init__(self) -> None:
        self.last: float = 0.0

    def __call__(self, rows: Rows) -> Any:
        result = rows.mean(axis=0) + rows.dtype.type(self.last)
        self.last = float(rows.max())
        return result


@breaks("rule", "ignores-the-order")
def takes_the_first(rows: Rows) -> Any:
    return rows[0].copy()


@breaks("rule", "stays-bounded")
@dataclass(frozen=True)
class ToldButMean:
    byzantine: int | None = None

    def __call__(self, rows: Rows) -> Any:
        return rows.mean(axis=0)


@breaks("rule", "stays-bounded")
@dataclass(frozen=True)
class SkipsNothingButNan:
    """NaN is dropped, infinity is not."""

    byzantine: int | None = None

    def __call__(self, rows: Rows) -> Any:
        return rows[~np.isnan(rows).any(axis=1)].mean(axis=0)


@breaks("rule", "moves-and-scales")
@breaks("rule", "agrees-with-all")
class Shrunk(CoordinateWise):
    def columns(self, rows: Rows) -> Any:
        return np.clip(np.median(rows, axis=0), -1, 1).astype(rows.dtype)


@breaks("rule", "lies-between-the-rows")
class Total(CoordinateWise):
    def columns(self, rows: Rows) -> Any:
        return rows.sum(axis=0)


@breaks("rule", "looks-at-one-coordinate-at-a-time")
class LongestRow(CoordinateWise):
    def columns(self, rows: Rows) -> Any:
        return rows[np.abs(rows).sum(axis=1).argmax()].copy()


@breaks("rule", "turns-with-the-rows")
class LargestEntry(Weighted):
    def weights(self, rows: Rows) -> Any:
        return np.eye(len(rows))[rows[:, 0].argmax()]


@breaks("rule", "weights-are-shares")
class Doubled(Weighted):
    def weights(self, rows: Rows) -> Any:
        return np.full(len(rows), 2 / len(rows))


class Sum(NamedTuple):
    total: Vector


@breaks("rule", "memory-goes-in-and-comes-out")
class WritesItsState(Remembering[Sum]):
    def init(self, model: Vector) -> Sum:
        return Sum(np.zeros_like(model))

    def step(self, state: Sum, messages: Messages) -> tuple[Vector, Sum]:
        rows: Any = messages.rows
        total = state.total
        total += rows.mean(axis=0)
        return total.copy(), state


@breaks("rule", "memory-goes-in-and-comes-out")
class Narrows(Remembering[Sum]):
    def init(self, model: Vector) -> Sum:
        return Sum(np.zeros_like(model))

    def step(self, state: Sum, messages: Messages) -> tuple[Vector, Sum]:
        rows: Any = messages.rows
        result = rows.mean(axis=0) + state.total.astype(rows.dtype)
        return result, Sum(result.astype(np.float16))


# stages --------------------------------------------------------------------------------------------------------------


@breaks("stage", "gives-rows-of-workers")
class ForgetsWhose(Stage):
    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=rows[1:])


@breaks("stage", "leaves-its-input")
class CentresInPlace(Stage):
    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        rows -= rows.mean(axis=0)
        return messages


@breaks("stage", "repeats-itself")
class Shuffles(Stage):
    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=rows + np.random.default_rng().random(rows.shape).astype(rows.dtype))


@breaks("stage", "ignores-the-order")
class PairsNeighbours(Stage):
    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=(rows + np.roll(rows, 1, axis=0)) / 2)


@breaks("stage", "reads-bare-rows")
class CountsFromZero(Stage):
    def __call__(self, messages: Any) -> Any:
        if isinstance(messages, Messages):
            return self.change(messages)
        return self.change(Messages(messages, np.arange(len(messages)), 0)).rows

    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=rows * (1 + messages.workers[:, np.newaxis] % 2).astype(rows.dtype))


@breaks("stage", "agrees-with-all")
class Centres(Stage):
    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=rows - rows.mean(axis=0))


@breaks("stage", "turns-with-the-rows")
class CutsOff(Stage):
    shortens = rotation_equivariant = True

    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=np.clip(rows, -0.5, 0.5))


@breaks("stage", "spoils-no-more-rows-than-lie")
@dataclass(frozen=True)
class MixesAll(Stage):
    byzantine: int | None = None

    def change(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=(rows + rows.mean(axis=0)) / 2)


# attacks -------------------------------------------------------------------------------------------------------------


@breaks("attack", "says-what-it-sees")
class NoBase:
    uses_own = True

    def check(self, honest: Workers) -> None: ...

    def __call__(self, view: LocalView) -> Any:
        return view.own


@breaks("attack", "sends-one-row-each")
class OneForAll(ColludingAttack):
    def __call__(self, view: FullView, /) -> Any:
        return view.honest.mean(axis=0)


@breaks("attack", "sends-one-row-each")
class Widens(LocalAttack):
    def __call__(self, view: LocalView, /) -> Any:
        return view.own.astype(np.float64)


@breaks("attack", "leaves-its-input")
class FlipsInPlace(LocalAttack):
    def __call__(self, view: LocalView, /) -> Any:
        own = view.own
        own *= -1
        return own


@breaks("attack", "is-addressed")
class OwnDice(LocalAttack):
    def __init__(self) -> None:
        self.generator = np.random.default_rng(0)

    def __call__(self, view: LocalView, /) -> Any:
        return self.generator.normal(size=view.own.shape).astype(view.own.dtype)


@breaks("attack", "says-whether-it-uses-own")
class PeeksAtOwn(ColludingAttack):
    def __call__(self, view: FullView, /) -> Any:
        return -view.own


@breaks("attack", "acts-alone")
class Averages(LocalAttack):
    def __call__(self, view: LocalView, /) -> Any:
        return np.broadcast_to(view.own.mean(axis=0), view.own.shape)


@breaks("attack", "acts-alone")
class SeesAll(LocalAttack):
    def __call__(self, view: Any, /) -> Any:
        return np.broadcast_to(view.honest.mean(axis=0), view.own.shape)


# penalties -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Signs(Penalty):
    """l1 as it should be, without any fast path."""

    weight: float = 0.5
    p = 1.0

    def subgradient(self, rows: Rows) -> Any:
        return self.weight * np.nan_to_num(np.sign(rows), nan=0.0)


@breaks("penalty", "keeps-shape-and-type")
class WideSigns(Signs):
    def subgradient(self, rows: Rows) -> Any:
        return super().subgradient(rows).astype(np.float64)


@breaks("penalty", "leaves-its-input")
class CleansInPlace(Signs):
    def subgradient(self, rows: Rows) -> Any:
        rows[np.isnan(rows)] = 0
        return super().subgradient(rows)


@breaks("penalty", "bounds-the-dual-norm")
class TooStrong(Signs):
    def subgradient(self, rows: Rows) -> Any:
        return 2 * super().subgradient(rows)


@breaks("penalty", "bounds-the-dual-norm")
class PassesNan(Signs):
    def subgradient(self, rows: Rows) -> Any:
        return self.weight * np.sign(rows)


@breaks("penalty", "attains-the-norm")
class IgnoresSmall(Signs):
    def subgradient(self, rows: Rows) -> Any:
        return super().subgradient(np.where(np.abs(rows) < 0.5, 0, rows).astype(rows.dtype))


@breaks("penalty", "is-a-subgradient")
class TooStrongAtZero(Signs):
    def subgradient(self, rows: Rows) -> Any:
        return super().subgradient(rows) + 2 * self.weight * (rows == 0)


@breaks("penalty", "is-odd")
class UpAtZero(Signs):
    """Either side is a subgradient at 0, but the same one for worker and master pulls both the same way."""

    def subgradient(self, rows: Rows) -> Any:
        return super().subgradient(np.where(rows == 0, 1, rows).astype(rows.dtype))


@breaks("penalty", "goes-by-rows")
class LooksAround(Signs):
    def subgradient(self, rows: Rows) -> Any:
        return super().subgradient(rows) * rows.dtype.type(0.5 if rows.ndim > 1 and len(rows) > 1 else 1.0)


@breaks("penalty", "pulls-by-the-sum")
class PullsTheWrongWay(Signs):
    def pull(self, model: Vector, rows: Rows, weights: Vector | None = None) -> Any:
        return -super().pull(model, rows, weights)


@breaks("penalty", "steps-by-the-formula")
class StepsWithoutPull(Signs):
    def descend(self, models: Rows, master: Vector, rate: float, oracle: Oracle, round: int) -> Any:
        return models - rate * oracle(models, round)


# partitions ----------------------------------------------------------------------------------------------------------

Parts = list[NDArray[np.int64]]


@breaks("partition", "deals-every-sample-once")
class DropsTheLast(Partition):
    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        parts = Iid().deal(labels, workers, generator)
        return [part[:-1] if len(part) > 1 else part for part in parts]


@breaks("partition", "leaves-nobody-empty")
class AllToOne(Partition):
    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        return [np.arange(len(labels)), *[np.arange(0)] * (workers - 1)]


@breaks("partition", "goes-by-the-generator")
class OwnShuffle(Partition):
    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        return Iid().deal(labels, workers, np.random.default_rng())


@breaks("partition", "leaves-its-input")
class Relabels(Partition):
    def deal(self, labels: NDArray[Any], workers: int, generator: np.random.Generator) -> Parts:
        labels -= labels.min()
        return Iid().deal(labels, workers, generator)


# problems ------------------------------------------------------------------------------------------------------------


class Wrapped:
    """A problem as it should be; what derives from it breaks one thing."""

    def __init__(self) -> None:
        self.inner = Softmax.of(few_samples(), Iid(), 4, 6, dtype="float64")
        self.dimension, self.workers = self.inner.dimension, self.inner.workers

    def start(self) -> Any:
        return self.inner.start()

    def oracle(self, workers: Workers) -> Oracle:
        return self.inner.oracle(workers)

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        return self.inner.objective(model, workers)

    def evaluate(self, model: Vector) -> dict[str, float]:
        return self.inner.evaluate(model)


@breaks("problem", "starts-at-a-model")
class StartsAnywhere(Wrapped):
    def start(self) -> Any:
        return np.random.default_rng().normal(size=self.dimension)


@breaks("problem", "numbers-its-workers")
class FromZero(Wrapped):
    def __init__(self) -> None:
        super().__init__()
        self.workers = np.arange(3)

    def oracle(self, workers: Workers) -> Oracle:
        inner = super().oracle(workers + 1)
        return lambda models, round: 1 * inner(models, round)  # without `only`

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        return super().objective(model, [worker + 1 for worker in workers])


@breaks("problem", "gives-one-gradient-each")
class OneForEverybody(Wrapped):
    def oracle(self, workers: Workers) -> Oracle:
        inner = super().oracle(workers)
        return lambda models, round: inner(models, round).mean(axis=0)


@breaks("problem", "goes-by-rows")
class LooksAtOthers(Wrapped):
    def oracle(self, workers: Workers) -> Oracle:
        inner = super().oracle(workers)
        return lambda models, round: inner(models, round) * len(workers)


class _Only:
    def __init__(self, problem: Softmax, workers: Workers) -> None:
        self.problem, self.workers = problem, workers

    def __call__(self, models: Rows, round: int, /) -> Any:
        return self.problem.oracle(self.workers)(models, round)

    def only(self, workers: Workers) -> "_Only":
        return _Only(self.problem, self.workers[: len(workers)])


@breaks("problem", "serves-some-alone")
class ServesOthers(Wrapped):
    def oracle(self, workers: Workers) -> Oracle:
        return _Only(self.inner, workers)


@breaks("problem", "is-addressed")
class DrawsOn(Wrapped):
    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def oracle(self, workers: Workers) -> Oracle:
        inner = super().oracle(workers)

        def next_batch(models: Rows, round: int, /) -> Any:
            self.asked += 1
            return inner(models, self.asked)

        return next_batch


@breaks("problem", "descends-its-objective")
class Climbs(Wrapped):
    def oracle(self, workers: Workers) -> Oracle:
        inner = super().oracle(workers)
        return lambda models, round: -inner(models, round)


@breaks("problem", "descends-its-objective")
class ForgetsItsWeight(Wrapped):
    def oracle(self, workers: Workers) -> Oracle:
        return replace(self.inner, weight=1.2 * self.inner.weight).oracle(workers)


@breaks("problem", "adds-up-its-objective")
class Mean(Wrapped):
    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        asked = list(workers)
        return super().objective(model, asked) / len(asked)


@breaks("problem", "measures-finite-numbers")
class MeasuresNothing(Wrapped):
    def evaluate(self, model: Vector) -> dict[str, float]:
        return {"accuracy": float("nan")}


# methods -------------------------------------------------------------------------------------------------------------


class ComparesWorkers(GradientWorker):
    def step(self, state: Nothing, request: Request, oracle: Oracle) -> tuple[Rows, Nothing]:
        rows = oracle(request.model, request.round)
        return rows - rows.mean(axis=0), state


class MovesTheMaster(GradientWorker):
    def step(self, state: Nothing, request: Request, oracle: Oracle) -> tuple[Rows, Nothing]:
        model = request.model
        model += 1
        return oracle(model, request.round), state


class SendsModels(GradientWorker):
    def neutral(self, model: Vector) -> Any:
        return model


@dataclass(frozen=True)
class By(IdealSgd):
    rule: type[GradientWorker] = GradientWorker

    def program(self, setting: Setting) -> Program:
        return replace(super().program(setting), worker=self.rule())


class CentresAnswers(Encoder):
    """Workers know what others send."""

    def encode(self, messages: Messages) -> Messages:
        rows: Any = messages.rows
        return messages._replace(rows=rows - rows.mean(axis=0))


class SendsCentred(IdealSgd):
    def program(self, setting: Setting) -> Program:
        return replace(super().program(setting), sending=(CentresAnswers(),))


def sums_in_place(rows: Rows) -> Any:
    np.cumsum(rows, axis=0, out=rows)
    return rows[-1].copy()


BREAKS["method"] = [
    (By(ComparesWorkers), "workers-go-by-rows"),
    (By(MovesTheMaster), "workers-leave-their-state"),
    (Aggregated(sums_in_place), "master-leaves-its-state"),
    (SendsCentred(), "workers-send-by-rows"),
    (By(SendsModels), "says-what-workers-send"),
]
