"""Scores, losses and gradients of linear problems, of samples or of all workers at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.calling import module, plain
from holdfast.kernels.sharing import share
from holdfast.typing import Rows, Vector, Workers


def scores(features: NDArray[Any], scale: float, model: Vector, outputs: int) -> Rows:
    """Return the linear scores of raw samples, `(N, outputs)`."""
    features, model = plain(features), plain(model)
    _check_model(model, features, outputs)
    out = np.empty((len(features), outputs), model.dtype)
    kernel = module("linear").scores_of_all
    factor = model.dtype.type(scale)
    share(lambda first, last: kernel(features[first:last], factor, model, out[first:last]), len(out), features.size)
    return out


def losses(
    loss: int, features: NDArray[Any], targets: NDArray[Any], scale: float, model: Vector, outputs: int
) -> Vector:
    """Return the loss of every raw sample at the model, `(N,)`."""
    features, targets, model = plain(features), plain(targets), plain(model)
    _check_model(model, features, outputs)
    if targets.shape != features.shape[:1]:
        raise InvalidInput(f"targets must be one a sample, {features.shape[:1]}; got {targets.shape}")
    out = np.empty(len(features), model.dtype)
    kernel = module("linear").losses_of_all
    factor = model.dtype.type(scale)

    def fill(first: int, last: int) -> None:
        kernel(loss, features[first:last], targets[first:last], factor, model, outputs, out[first:last])

    share(fill, len(out), features.size)
    return out


def worker_round(
    loss: int,
    features: NDArray[Any],
    targets: NDArray[Any],
    starts: NDArray[np.int64],
    scale: float,
    key: int,
    workers: Workers,
    round: int,
    batch: int,
    weight: float,
    models: Rows,
    step: tuple[Vector, float, float] | None = None,
) -> Rows:
    """Return the workers' minibatch gradients; with `step = (master's model, rate, penalty)` their l1-RSA steps.

    `models` holds a row for each worker, or one for all.
    """
    models = plain(models if models.ndim == 2 else models[np.newaxis])
    features, targets, workers = plain(features), plain(targets), plain(workers)
    if batch < 1 or len(targets) != len(features):
        raise InvalidInput(
            f"a minibatch needs at least one sample, and samples one target each; "
            f"got {batch}, {len(features)} samples and {len(targets)} targets"
        )
    number = models.dtype.type
    master, rate, penalty = (models[0], 0.0, 0.0) if step is None else step
    out = np.empty((len(workers), models.shape[1]), models.dtype)
    without = module("linear").worker_round(
        loss,
        features,
        targets,
        starts,
        number(scale),
        np.uint64(key),
        workers,
        round,
        batch,
        number(weight / batch),
        models,
        step is not None,
        plain(master),
        number(rate),
        number(penalty),
        out,
    )
    _require_samples(workers, without)
    return out


def full_round(
    loss: int,
    features: NDArray[Any],
    targets: NDArray[Any],
    starts: NDArray[np.int64],
    scale: float,
    workers: Workers,
    weight: float,
    models: Rows,
) -> Rows:
    """Return the workers' gradients on all their samples, each at its own row of `models`, or all at one."""
    models = plain(models if models.ndim == 2 else models[np.newaxis])
    features, targets, workers = plain(features), plain(targets), plain(workers)
    out = np.empty((len(workers), models.shape[1]), models.dtype)
    factor = models.dtype.type(scale)
    _require_samples(
        workers,
        module("linear").full_round(loss, features, targets, starts, factor, workers, float(weight), models, out),
    )
    return out


def saga_round(
    loss: int,
    features: NDArray[Any],
    targets: NDArray[Any],
    starts: NDArray[np.int64],
    scale: float,
    key: int,
    workers: Workers,
    round: int,
    batch: int,
    weight: float,
    models: Rows,
    tables: Rows,
    averages: Rows,
) -> tuple[Rows, Rows, Rows]:
    """Return SAGA's estimates of the workers' gradients, and their tables and averages after the draw."""
    models = plain(models if models.ndim == 2 else models[np.newaxis])
    features, targets, workers = plain(features), plain(targets), plain(workers)
    tables, averages = np.array(tables, models.dtype, order="C"), np.array(averages, models.dtype, order="C")
    outputs = models.shape[1] // (features.shape[1] + 1)
    due = (len(workers), outputs * int(np.diff(starts).max()))
    if len(tables) != due[0] or tables.shape[1] < due[1] or averages.shape != (len(workers), models.shape[1]):
        raise InvalidInput(f"a table must have a row of at least {due[1]} numbers per worker; got {tables.shape}")
    out = np.empty_like(averages)
    without = module("linear").saga_round(
        loss,
        features,
        targets,
        starts,
        models.dtype.type(scale),
        np.uint64(key),
        workers,
        round,
        batch,
        float(weight),
        models,
        tables,
        averages,
        out,
    )
    _require_samples(workers, without)
    return out, tables, averages


def _require_samples(workers: Workers, without: int) -> None:
    if without >= 0:
        raise InvalidInput(f"every worker needs at least one sample; got none for worker {workers[without]}")


def _check_model(model: Vector, features: NDArray[Any], outputs: int) -> None:
    width = features.shape[1]
    if len(model) != outputs * (width + 1):
        raise InvalidInput(
            f"a model must hold {outputs} x {width} weights and {outputs} biases; got {len(model)} numbers"
        )
