"""Gradients of linear problems for all workers at once, and RSA's worker step on top of them.

One worker at a time, everything of it in the cache: the step is taken while the gradient is still warm, and the next
minibatch is fetched meanwhile.
"""

import numpy as np

from holdfast.kernels.compiling import compiled

from .draws import worker_rows, worker_without_samples
from .gradients import gradient_of


@compiled
def _l1_step(model, master, gradient, rate, penalty, out):
    """out = model - rate * (gradient + penalty * sign(model - master)), rounded as NumPy rounds it."""
    for j in range(len(out)):
        sign = out.dtype.type(model[j] > master[j]) - out.dtype.type(model[j] < master[j])
        out[j] = model[j] - rate * (gradient[j] + penalty * sign)


@compiled
def worker_round(
    loss,
    features,
    targets,
    starts,
    scale,
    key,
    workers,
    round,
    batch,
    weight,
    models,
    stepping,
    master,
    rate,
    penalty,
    out,
):
    """out[i] = what worker `workers[i]` makes of its model and a minibatch.

    That is its gradient at `models[i]` (at the one model, if there is only one), or, if `stepping`, where RSA's
    worker step with the l1 penalty leads from there. While one minibatch is worked on, the next is fetched. Returned
    is the place in `workers` of the first who has no samples, or -1.
    """
    without = worker_without_samples(workers, starts)
    if without >= 0:
        return without
    outputs = out.shape[1] // (features.shape[1] + 1)
    scores = np.empty((batch, outputs), out.dtype)
    residuals = np.zeros((outputs, (batch + 3) // 4 * 4), out.dtype)
    gradient = np.empty(out.shape[1], out.dtype)
    chosen = np.empty(batch, targets.dtype)
    rows, following = np.empty(batch, np.int64), np.empty(batch, np.int64)
    worker_rows(key, workers[0], round, starts, following)
    for i in range(len(workers)):
        rows, following = following, rows
        worker_rows(key, workers[min(i + 1, len(workers) - 1)], round, starts, following)
        for b in range(batch):
            chosen[b] = targets[rows[b]]
        model = models[min(i, len(models) - 1)]
        if stepping:
            gradient_of(loss, features, rows, following, scale, chosen, model, weight, scores, residuals, gradient)
            _l1_step(model, master, gradient, rate, penalty, out[i])
        else:
            gradient_of(loss, features, rows, following, scale, chosen, model, weight, scores, residuals, out[i])
    return -1


@compiled
def full_round(loss, features, targets, starts, scale, workers, weight, models, out):
    """out[i] = the gradient of worker `workers[i]` on all its samples at `models[i]`; returns as `worker_round`."""
    without = worker_without_samples(workers, starts)
    if without >= 0:
        return without
    outputs = out.shape[1] // (features.shape[1] + 1)
    for i in range(len(workers)):
        rows = np.arange(starts[workers[i] - 1], starts[workers[i]])
        scores = np.empty((len(rows), outputs), out.dtype)
        residuals = np.zeros((outputs, (len(rows) + 3) // 4 * 4), out.dtype)
        share, chosen = out.dtype.type(weight / len(rows)), targets[rows[0] : rows[0] + len(rows)]
        model = models[min(i, len(models) - 1)]
        gradient_of(loss, features, rows, rows, scale, chosen, model, share, scores, residuals, out[i])
    return -1
