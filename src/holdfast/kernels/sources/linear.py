"""Minibatch gradients of linear scores for all workers at once, and RSA's worker step on top of them.

One worker at a time, everything of it in the cache. Samples are read where they lie, as bytes if they are
bytes, and become numbers in registers; scores and gradient are computed in tiles of some samples by five
outputs so that sums live in registers too; the step is taken while the gradient is still warm.
"""

import numpy as np
from numba import njit

from holdfast.kernels.compiling import compiled

from .draws import batch_rows
from .elementary import exp, log, log1p
from .lanes import LANES, folded, fused, nothing, single, taken
from .prefetching import prefetch

SOFTMAX, LOGISTIC, LEAST_SQUARES = 0, 1, 2
BLOCK = 64
"""Samples scored at a time in a pass over all of them."""


@njit(inline="always")
def _added(u, v, a, b, c, d, e, sums):
    """The sums of ten inner products after some more of their elements."""
    s0, s1, s2, s3, s4, t0, t1, t2, t3, t4 = sums
    return (
        fused(u, a, s0),
        fused(u, b, s1),
        fused(u, c, s2),
        fused(u, d, s3),
        fused(u, e, s4),
        fused(v, a, t0),
        fused(v, b, t1),
        fused(v, c, t2),
        fused(v, d, t3),
        fused(v, e, t4),
    )


@compiled
def _dots_2x5(x, y, a, b, c, d, e):
    """The inner products of two samples with five rows of weights."""
    zero = nothing(a)
    s = (zero, zero, zero, zero, zero, zero, zero, zero, zero, zero)
    whole = len(x) // LANES * LANES
    for j in range(0, whole, LANES):
        u, v = taken(x, j, a), taken(y, j, a)
        s = _added(u, v, taken(a, j, a), taken(b, j, a), taken(c, j, a), taken(d, j, a), taken(e, j, a), s)
    for j in range(whole, len(x)):
        u, v = single(x, j, a), single(y, j, a)
        s = _added(u, v, single(a, j, a), single(b, j, a), single(c, j, a), single(d, j, a), single(e, j, a), s)
    first = folded(s[0]), folded(s[1]), folded(s[2]), folded(s[3]), folded(s[4])
    return *first, folded(s[5]), folded(s[6]), folded(s[7]), folded(s[8]), folded(s[9])


@compiled
def _add_4x5(w, x, y, z, r, a, b, c, d, e):
    """Add to five rows of a gradient what four samples say, weighted by their residuals."""
    number = a.dtype.type
    a0, a1, a2, a3 = r[0, 0], r[0, 1], r[0, 2], r[0, 3]
    b0, b1, b2, b3 = r[1, 0], r[1, 1], r[1, 2], r[1, 3]
    c0, c1, c2, c3 = r[2, 0], r[2, 1], r[2, 2], r[2, 3]
    d0, d1, d2, d3 = r[3, 0], r[3, 1], r[3, 2], r[3, 3]
    e0, e1, e2, e3 = r[4, 0], r[4, 1], r[4, 2], r[4, 3]
    for j in range(len(a)):
        s, t, u, v = number(w[j]), number(x[j]), number(y[j]), number(z[j])
        a[j] = fused(a3, v, fused(a2, u, fused(a1, t, fused(a0, s, a[j]))))
        b[j] = fused(b3, v, fused(b2, u, fused(b1, t, fused(b0, s, b[j]))))
        c[j] = fused(c3, v, fused(c2, u, fused(c1, t, fused(c0, s, c[j]))))
        d[j] = fused(d3, v, fused(d2, u, fused(d1, t, fused(d0, s, d[j]))))
        e[j] = fused(e3, v, fused(e2, u, fused(e1, t, fused(e0, s, e[j]))))


@compiled
def _add_4x1(w, x, y, z, r, a):
    """The same for a single row."""
    number = a.dtype.type
    a0, a1, a2, a3 = r[0], r[1], r[2], r[3]
    for j in range(len(a)):
        s, t, u, v = number(w[j]), number(x[j]), number(y[j]), number(z[j])
        a[j] = fused(a3, v, fused(a2, u, fused(a1, t, fused(a0, s, a[j]))))


@compiled
def scores_of(features, rows, following, scale, model, scores):
    """scores[i] = scale * W features[rows[i]] + b, while the samples `following` are on their way to the cache.

    A tile that reaches past the end repeats the last row.
    """
    samples, width = len(rows), features.shape[1]
    outputs = scores.shape[1]
    biases = model[outputs * width :]
    for c in range(0, outputs, 5):
        last = outputs - 1
        w0 = model[c * width : (c + 1) * width]
        w1 = model[min(c + 1, last) * width : (min(c + 1, last) + 1) * width]
        w2 = model[min(c + 2, last) * width : (min(c + 2, last) + 1) * width]
        w3 = model[min(c + 3, last) * width : (min(c + 3, last) + 1) * width]
        w4 = model[min(c + 4, last) * width : (min(c + 4, last) + 1) * width]
        for i in range(0, samples, 2):
            k = min(i + 1, samples - 1)
            if c == 0:
                prefetch(features, following[i])
                prefetch(features, following[k])
            found = _dots_2x5(features[rows[i]], features[rows[k]], w0, w1, w2, w3, w4)
            for q in range(min(5, outputs - c)):
                scores[i, c + q] = scale * found[q] + biases[c + q]
                scores[k, c + q] = scale * found[5 + q] + biases[c + q]


@compiled
def _exponentials(scores):
    """scores = exp(scores - their maximum in each row), in place; one loop over all, which makes whole vectors."""
    for i in range(len(scores)):
        row = scores[i]
        top = row[0]
        for c in range(1, len(row)):
            top = max(top, row[c])
        for c in range(len(row)):
            row[c] -= top
    flat = scores.reshape(scores.size)
    for k in range(len(flat)):
        flat[k] = flat.dtype.type(exp(np.float64(flat[k])))


@compiled
def _residuals(loss, scores, targets, weight, out):
    """out[c, i] = weight * d loss / d score c of sample i; the scores are overwritten."""
    samples, outputs = scores.shape
    number, one = scores.dtype.type, scores.dtype.type(1)
    if loss == SOFTMAX:
        _exponentials(scores)
    for i in range(samples):
        if loss == SOFTMAX:
            total = number(0)
            for c in range(outputs):
                total += scores[i, c]
            for c in range(outputs):
                out[c, i] = weight * (scores[i, c] / total - (one if c == targets[i] else one - one))
        elif loss == LOGISTIC:
            chance = number(1.0 / (1.0 + exp(-np.float64(scores[i, 0]))))
            out[0, i] = weight * (chance - number(targets[i]))
        else:
            out[0, i] = weight * (scores[i, 0] - number(targets[i]))


@compiled
def _gradient(loss, features, rows, following, scale, targets, model, weight, scores, residuals, out):
    """out = weight * sum over these samples of the gradient of their loss at `model`.

    `residuals` is padded with zeros to a multiple of four samples: the last sample then counts again, for nothing.
    """
    scores_of(features, rows, following, scale, model, scores)
    _residuals(loss, scores, targets, weight, residuals)
    _combined(features, rows, scale, residuals, out)


@compiled
def _combined(features, rows, scale, residuals, out):
    """out = the gradient that has these residuals at these samples; the residuals are overwritten."""
    samples, width = len(rows), features.shape[1]
    outputs, padded = residuals.shape
    out[:] = out.dtype.type(0)
    for c in range(outputs):
        total = out.dtype.type(0)
        for i in range(samples):
            total += residuals[c, i]
            residuals[c, i] *= scale
        out[outputs * width + c] = total
    for i in range(0, padded, 4):
        w, x = features[rows[i]], features[rows[min(i + 1, samples - 1)]]
        y, z = features[rows[min(i + 2, samples - 1)]], features[rows[min(i + 3, samples - 1)]]
        for c in range(0, outputs - 4, 5):
            f = out[c * width : (c + 5) * width]
            a, b, d = f[:width], f[width : 2 * width], f[2 * width : 3 * width]
            g, h = f[3 * width : 4 * width], f[4 * width :]
            _add_4x5(w, x, y, z, residuals[c : c + 5, i : i + 4], a, b, d, g, h)
        for c in range(outputs // 5 * 5, outputs):
            _add_4x1(w, x, y, z, residuals[c, i : i + 4], out[c * width : (c + 1) * width])


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
    without = _without_samples(workers, starts)
    if without >= 0:
        return without
    outputs = out.shape[1] // (features.shape[1] + 1)
    scores = np.empty((batch, outputs), out.dtype)
    residuals = np.zeros((outputs, (batch + 3) // 4 * 4), out.dtype)
    gradient = np.empty(out.shape[1], out.dtype)
    chosen = np.empty(batch, targets.dtype)
    rows, following = np.empty(batch, np.int64), np.empty(batch, np.int64)
    _draw(key, workers[0], round, starts, following)
    for i in range(len(workers)):
        rows, following = following, rows
        _draw(key, workers[min(i + 1, len(workers) - 1)], round, starts, following)
        for b in range(batch):
            chosen[b] = targets[rows[b]]
        model = models[min(i, len(models) - 1)]
        if stepping:
            _gradient(loss, features, rows, following, scale, chosen, model, weight, scores, residuals, gradient)
            _l1_step(model, master, gradient, rate, penalty, out[i])
        else:
            _gradient(loss, features, rows, following, scale, chosen, model, weight, scores, residuals, out[i])
    return -1


@compiled
def _without_samples(workers, starts):
    """The place of the first worker that has none, or -1."""
    for i in range(len(workers)):
        if workers[i] < 1 or workers[i] >= len(starts) or starts[workers[i] - 1] >= starts[workers[i]]:
            return i
    return -1


@compiled
def full_round(loss, features, targets, starts, scale, workers, weight, models, out):
    """out[i] = the gradient of worker `workers[i]` on all its samples at `models[i]`; returns as `worker_round`."""
    without = _without_samples(workers, starts)
    if without >= 0:
        return without
    outputs = out.shape[1] // (features.shape[1] + 1)
    for i in range(len(workers)):
        rows = np.arange(starts[workers[i] - 1], starts[workers[i]])
        scores = np.empty((len(rows), outputs), out.dtype)
        residuals = np.zeros((outputs, (len(rows) + 3) // 4 * 4), out.dtype)
        share, chosen = out.dtype.type(weight / len(rows)), targets[rows[0] : rows[0] + len(rows)]
        model = models[min(i, len(models) - 1)]
        _gradient(loss, features, rows, rows, scale, chosen, model, share, scores, residuals, out[i])
    return -1


@compiled
def saga_round(
    loss, features, targets, starts, scale, key, workers, round, batch, weight, models, tables, averages, out
):
    """out[i] = SAGA's estimate of worker `workers[i]`'s gradient; its table and average are brought up to date.

    A table holds the residuals of each sample, `outputs` numbers after another, as of when it was last drawn; the
    average is the gradient that they make. A sample that is drawn twice changes them once.
    """
    without = _without_samples(workers, starts)
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
        _draw(key, workers[i], round, starts, rows)
        for b in range(batch):
            chosen[b] = targets[rows[b]]
        scores_of(features, rows, rows, scale, models[min(i, len(models) - 1)], scores)
        _residuals(loss, scores, chosen, number(1), fresh)
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
        _combined(features, rows, scale, drawn, change)
        for j in range(len(change)):
            out[i, j] = change[j] + averages[i, j]
        _combined(features, rows, scale, known, change)
        for j in range(len(change)):
            averages[i, j] += change[j]
    return -1


@compiled
def _draw(key, worker, round, starts, rows):
    batch_rows(key, worker, round, starts[worker - 1], starts[worker] - starts[worker - 1], rows)


@compiled
def scores_of_all(features, scale, model, out):
    """out[i] = the scores of sample i, straight from bytes."""
    for begin in range(0, len(features), BLOCK):
        rows = np.arange(begin, min(begin + BLOCK, len(features)))
        scores_of(features, rows, rows, scale, model, out[begin : begin + len(rows)])


@compiled
def losses_of_all(loss, features, targets, scale, model, outputs, out):
    """out[i] = the loss of sample i at the model, straight from bytes."""
    block = np.empty((BLOCK, outputs), model.dtype)
    number = model.dtype.type
    zero, half = number(0), number(0.5)
    for begin in range(0, len(features), BLOCK):
        end = min(begin + BLOCK, len(features))
        scores = block[: end - begin]
        scores_of_all(features[begin:end], scale, model, scores)
        if loss == SOFTMAX:  # log(sum of exp(s_c - top)) + top - s_target
            for i in range(begin, end):
                s = scores[i - begin]
                top = s[0]
                for c in range(1, outputs):
                    top = max(top, s[c])
                out[i] = top - s[np.int64(targets[i])]
            _exponentials(scores)
        for i in range(begin, end):
            s = scores[i - begin]
            if loss == SOFTMAX:
                total = zero
                for c in range(outputs):
                    total += s[c]
                out[i] += number(log(np.float64(total)))
            elif loss == LOGISTIC:
                # log(1 + exp(s)) without overflow
                soft = number(log1p(exp(-abs(np.float64(s[0])))))
                out[i] = soft + max(s[0], zero) - number(targets[i]) * s[0]
            else:
                residual = s[0] - number(targets[i])
                out[i] = half * residual * residual
