"""Gradients of linear problems for all workers at once: on minibatches, on all samples, by SAGA; RSA's worker step.

One worker at a time, all its data in the cache. The step is taken while the gradient is in the cache, and the next
minibatch is fetched meanwhile.
"""

import numpy as np

from holdfast.kernels.compile_cache import jit

from .draws import worker_rows, worker_without_samples
from .gradients import combine, gradient_of
from .linear_losses import residuals_of
from .scoring import scores_of


@jit
def _l1_step(model, master, gradient, rate, penalty, out):
    """out = model - rate * (gradient + penalty * sign(model - master)), rounded as NumPy rounds it."""
    for j in range(len(out)):
        sign = out.dtype.type(model[j] > master[j]) - out.dtype.type(model[j] < master[j])
        out[j] = model[j] - rate * (gradient[j] + penalty * sign)


@jit
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
    is the place in `workers` of the first worker without samples, or -1.
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


@jit
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


@jit
def saga_round(
    loss, features, targets, starts, scale, key, workers, round, batch, weight, models, tables, averages, out
):
    """out[i] = SAGA's estimate of worker `workers[i]`'s gradient; its table and average are brought up to date.

    A table holds the residuals of each sample, `outputs` numbers after another, as of when it was last drawn; the
    average is the gradient that they make. A sample that is drawn twice changes them once.
    """
    without = worker_without_samples(workers, starts)
    if without >= 0:
        return without
    number, outputs = out.dtype.type, out.shape[1] // (features.shape[1] + 1)
    padded = (batch + 3) // 4 * 4
    scores, fresh = np.empty((batch, outputs), out.dtype), np.zeros((outputs, padded), out.dtype)
    drawn, known = np.zeros((outputs, padded), out.dtype), np.zeros((outputs, padded), out.dtype)
    rows, chosen, change = np.empty(batch, np.int64), np.empty(batch, targets.dtype), np.empty(out.shape[1], out.dtype)
    for i in range(len(workers)):
        first, table = starts[workers[i] - 1], tables[i]
        share, whole = number(weight / batch), number(weight / (starts[workers[i]] - first))
        worker_rows(key, workers[i], round, starts, rows)
        for b in range(batch):
            chosen[b] = targets[rows[b]]
        scores_of(features, rows, rows, scale, models[min(i, len(models) - 1)], scores)
        residuals_of(loss, scores, chosen, number(1), fresh)
        for b in range(batch):
            again = False
            for a in range(b):
                again |= rows[a] == rows[b]
            for c in range(outputs):
                difference = fresh[c, b] - table[(rows[b] - first) * outputs + c]
                drawn[c, b] = share * difference
                known[c, b] = number(0) if again else whole * difference
        for b in range(batch):
            for c in range(outputs):
                table[(rows[b] - first) * outputs + c] = fresh[c, b]
        combine(features, rows, scale, drawn, change)
        for j in range(len(change)):
            out[i, j] = change[j] + averages[i, j]
        combine(features, rows, scale, known, change)
        for j in range(len(change)):
            averages[i, j] += change[j]
    return -1
