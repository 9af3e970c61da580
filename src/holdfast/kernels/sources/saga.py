"""SAGA's estimates of the gradients of all workers at once."""

import numpy as np

from holdfast.kernels.compiling import compiled

from .draws import worker_rows, worker_without_samples
from .gradients import combined
from .losses import residuals_of
from .scoring import scores_of


@compiled
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
        combined(features, rows, scale, drawn, change)
        for j in range(len(change)):
            out[i, j] = change[j] + averages[i, j]
        combined(features, rows, scale, known, change)
        for j in range(len(change)):
            averages[i, j] += change[j]
    return -1
