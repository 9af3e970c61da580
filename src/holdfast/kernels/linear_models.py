"""Scores, losses and gradients of linear problems, of samples or of all workers at once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.calls import module, plain, share
from holdfast.typing import Array, Rows, Vector, Workers


def scores(features: Array, scale: float, model: Vector, outputs: int) -> Rows:
    """Return the linear scores of raw samples, `(N, outputs)`."""
    features, model = plain(features), plain(model)
    _check_model(model, features, outputs)
    out = np.empty((len(features), outputs), model.dtype)
    kernel = module("scoring").scores_of_all
    factor = model.dtype.type(scale)
    share(lambda first, last: kernel(features[first:last], factor, model, out[first:last]), len(out), features.size)
    return out


def losses(loss: int, features: Array, targets: Array, scale: float, model: Vector, outputs: int) -> Vector:
    """Return the loss of every raw sample at the model, `(N,)`."""
    features, targets, model = plain(features), plain(targets), plain(model)
    _check_model(model, features, outputs)
    if targets.shape != features.shape[:1]:
        raise InvalidInput(f"targets must be one per sample, {features.shape[:1]}; got {targets.shape}")
    out = np.empty(len(features), model.dtype)
    kernel = module("linear_losses").losses_of_all
    factor = model.dtype.type(scale)

    def fill(first: int, last: int) -> None:
        kernel(loss, features[first:last], targets[first:last], factor, model, outputs, out[first:last])

    share(fill, len(out), features.size)
    return out


class Dealt(NamedTuple):
    """The samples of all workers, and the loss at them: those of worker i are `starts[i - 1]` to `starts[i]`."""

    loss: int
    features: Array
    targets: Array
    starts: NDArray[np.int64]
    scale: float
    weight: float

    def arguments(self, number: Any) -> tuple[Any, ...]:
        """Return the arguments of compiled code, except the weight."""
        features, targets = plain(self.features), plain(self.targets)
        if len(targets) != len(features):
            raise InvalidInput(f"samples need one target each; got {len(features)} samples and {len(targets)} targets")
        return self.loss, features, targets, self.starts, number(self.scale)


class Draw(NamedTuple):
    """Which minibatches: the stream's key, the round, and how many samples."""

    key: int
    round: int
    batch: int

    def arguments(self, workers: Workers) -> tuple[Any, ...]:
        """Return the arguments of compiled code, for these workers."""
        if self.batch < 1:
            raise InvalidInput(f"a minibatch needs at least one sample; got {self.batch}")
        return np.uint64(self.key), workers, self.round, self.batch


def worker_round(
    dealt: Dealt, draw: Draw, workers: Workers, models: Rows, step: tuple[Vector, float, float] | None = None
) -> Rows:
    """Return the workers' minibatch gradients; with `step = (master's model, rate, penalty)` their l1-RSA steps.

    `models` holds a row for each worker, or one for all.
    """
    models, workers = _stack(models), plain(workers)
    number = models.dtype.type
    master, rate, penalty = (models[0], 0.0, 0.0) if step is None else step
    out = np.empty((len(workers), models.shape[1]), models.dtype)
    given = (*dealt.arguments(number), *draw.arguments(workers), number(dealt.weight / draw.batch), models)
    taken = (step is not None, plain(master), number(rate), number(penalty))
    _require_samples(workers, module("worker_rounds").worker_round(*given, *taken, out))
    return out


def full_round(dealt: Dealt, workers: Workers, models: Rows) -> Rows:
    """Return the workers' gradients on all their samples, each at its own row of `models`, or all at one."""
    models, workers = _stack(models), plain(workers)
    out = np.empty((len(workers), models.shape[1]), models.dtype)
    given = dealt.arguments(models.dtype.type)
    _require_samples(workers, module("worker_rounds").full_round(*given, workers, float(dealt.weight), models, out))
    return out


def saga_round(
    dealt: Dealt, draw: Draw, workers: Workers, models: Rows, tables: Rows, averages: Rows
) -> tuple[Rows, Rows, Rows]:
    """Return SAGA's estimates of the workers' gradients, and their tables and averages after the draw."""
    models, workers = _stack(models), plain(workers)
    given = (*dealt.arguments(models.dtype.type), *draw.arguments(workers), float(dealt.weight), models)
    tables, averages = np.array(tables, models.dtype, order="C"), np.array(averages, models.dtype, order="C")
    outputs = models.shape[1] // (dealt.features.shape[1] + 1)
    due = (len(workers), outputs * int(np.diff(dealt.starts).max()))
    if len(tables) != due[0] or tables.shape[1] < due[1] or averages.shape != (len(workers), models.shape[1]):
        raise InvalidInput(f"a table must have a row of at least {due[1]} numbers per worker; got {tables.shape}")
    out = np.empty_like(averages)
    _require_samples(workers, module("worker_rounds").saga_round(*given, tables, averages, out))
    return out, tables, averages


def _stack(models: Rows) -> Rows:
    return plain(models if models.ndim == 2 else models[np.newaxis])


def _require_samples(workers: Workers, without: int) -> None:
    if without >= 0:
        raise InvalidInput(f"every worker needs at least one sample; got none for worker {workers[without]}")


def _check_model(model: Vector, features: Array, outputs: int) -> None:
    width = features.shape[1]
    if len(model) != outputs * (width + 1):
        raise InvalidInput(
            f"a model must hold {outputs} x {width} weights and {outputs} biases; got {len(model)} numbers"
        )
