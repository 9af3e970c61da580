"""Minibatch gradients of linear scores for all workers at once, and RSA's worker step on top of them.

One worker at a time, everything of it in the cache: its minibatch is gathered from bytes into numbers,
scores and gradient are computed two or eight samples at a time so that sums live in registers, and the
step is taken while the gradient is still warm.
"""

import numpy as np
from numba import njit

from .draws import batch_rows
from .prefetching import prefetch

FAST = {"reassoc", "contract", "nsz"}
SOFTMAX, LOGISTIC, LEAST_SQUARES = 0, 1, 2
BLOCK = 64
"""Samples scored at a time in a pass over all of them."""


@njit(cache=True, nogil=True, error_model="numpy")
def _convert(sample, scale, out):
    for j in range(len(sample)):
        out[j] = out.dtype.type(sample[j]) * scale


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _dots_2x5(x, y, a, b, c, d, e):
    s0 = s1 = s2 = s3 = s4 = t0 = t1 = t2 = t3 = t4 = x.dtype.type(0)
    for j in range(len(x)):
        u, v = x[j], y[j]
        s0 += u * a[j]
        t0 += v * a[j]
        s1 += u * b[j]
        t1 += v * b[j]
        s2 += u * c[j]
        t2 += v * c[j]
        s3 += u * d[j]
        t3 += v * d[j]
        s4 += u * e[j]
        t4 += v * e[j]
    return s0, s1, s2, s3, s4, t0, t1, t2, t3, t4


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _add_8x2(x, f, g, r, s):
    """f += sum of r[i] * x[i], g += sum of s[i] * x[i], over eight samples."""
    a, b, c, d, e, h, k, m = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    r0, r1, r2, r3, r4, r5, r6, r7 = r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
    s0, s1, s2, s3, s4, s5, s6, s7 = s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
    for j in range(len(f)):
        f[j] += r0 * a[j] + r1 * b[j] + r2 * c[j] + r3 * d[j] + r4 * e[j] + r5 * h[j] + r6 * k[j] + r7 * m[j]
        g[j] += s0 * a[j] + s1 * b[j] + s2 * c[j] + s3 * d[j] + s4 * e[j] + s5 * h[j] + s6 * k[j] + s7 * m[j]


@njit(cache=True, nogil=True, error_model="numpy")
def scores_of(x, model, scores):
    """scores[i] = W x[i] + b for samples `(B, width)`; a tile that reaches past the end repeats the last row."""
    samples, width = x.shape
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
            found = _dots_2x5(x[i], x[k], w0, w1, w2, w3, w4)
            for q in range(min(5, outputs - c)):
                scores[i, c + q] = found[q] + biases[c + q]
                scores[k, c + q] = found[5 + q] + biases[c + q]


@njit(cache=True, nogil=True, error_model="numpy")
def _residuals(loss, scores, targets, weight, out):
    """out[c, i] = weight * d loss / d score c of sample i."""
    samples, outputs = scores.shape
    one, half = scores.dtype.type(1), scores.dtype.type(0.5)
    for i in range(samples):
        if loss == SOFTMAX:
            top = scores[i, 0]
            for c in range(1, outputs):
                top = max(top, scores[i, c])
            total = scores.dtype.type(0)
            for c in range(outputs):
                out[c, i] = np.exp(scores[i, c] - top)
                total += out[c, i]
            for c in range(outputs):
                out[c, i] = weight * (out[c, i] / total - (one if c == targets[i] else one - one))
        elif loss == LOGISTIC:
            out[0, i] = weight * (half * (one + np.tanh(half * scores[i, 0])) - scores.dtype.type(targets[i]))
        else:
            out[0, i] = weight * (scores[i, 0] - scores.dtype.type(targets[i]))


@njit(cache=True, nogil=True, error_model="numpy")
def _gradient(loss, x, targets, model, weight, scores, residuals, spare, out):
    """out = weight * sum over the samples of the gradient of their loss at `model`.

    `x` and `residuals` are padded with zeros to a multiple of eight samples, an odd output with `spare`.
    """
    samples, (padded, width) = len(targets), x.shape
    outputs = scores.shape[1]
    scores_of(x[:samples], model, scores)
    _residuals(loss, scores, targets, weight, residuals)
    out[:] = out.dtype.type(0)
    for c in range(0, outputs, 2):
        k = min(c + 1, outputs - 1)
        f = out[c * width : (c + 1) * width]
        g = out[k * width : (k + 1) * width] if k > c else spare
        for i in range(0, padded, 8):
            _add_8x2(x[i : i + 8], f, g, residuals[c, i : i + 8], residuals[k, i : i + 8])
    for c in range(outputs):
        total = out.dtype.type(0)
        for i in range(samples):
            total += residuals[c, i]
        out[outputs * width + c] = total


@njit(cache=True, nogil=True, error_model="numpy")
def _l1_step(model, master, gradient, rate, penalty, out):
    """out = model - rate * (gradient + penalty * sign(model - master)), rounded as NumPy rounds it."""
    for j in range(len(out)):
        sign = out.dtype.type(model[j] > master[j]) - out.dtype.type(model[j] < master[j])
        out[j] = model[j] - rate * (gradient[j] + penalty * sign)


@njit(cache=True, nogil=True, error_model="numpy")
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
    worker step with the l1 penalty leads from there. While one minibatch is worked on, the next is fetched.
    """
    width = features.shape[1]
    outputs = out.shape[1] // (width + 1)
    padded = (batch + 7) // 8 * 8
    x = np.zeros((padded, width), out.dtype)
    scores = np.empty((batch, outputs), out.dtype)
    residuals = np.zeros((outputs, padded), out.dtype)
    spare, gradient = np.zeros(width, out.dtype), np.empty(out.shape[1], out.dtype)
    chosen = np.empty(batch, targets.dtype)
    rows, following = np.empty(batch, np.int64), np.empty(batch, np.int64)
    _draw(key, workers[0], round, starts, following)
    for i in range(len(workers)):
        rows, following = following, rows
        _draw(key, workers[min(i + 1, len(workers) - 1)], round, starts, following)
        for b in range(batch):
            prefetch(features, following[b])
            _convert(features[rows[b]], scale, x[b])
            chosen[b] = targets[rows[b]]
        model = models[min(i, len(models) - 1)]
        if stepping:
            _gradient(loss, x, chosen, model, weight, scores, residuals, spare, gradient)
            _l1_step(model, master, gradient, rate, penalty, out[i])
        else:
            _gradient(loss, x, chosen, model, weight, scores, residuals, spare, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def _draw(key, worker, round, starts, rows):
    batch_rows(key, worker, round, starts[worker - 1], starts[worker] - starts[worker - 1], rows)


@njit(cache=True, nogil=True, error_model="numpy")
def scores_of_all(features, scale, model, out):
    """out[i] = the scores of sample i, straight from bytes."""
    block = np.empty((BLOCK, features.shape[1]), out.dtype)
    for begin in range(0, len(features), BLOCK):
        end = min(begin + BLOCK, len(features))
        for i in range(begin, end):
            _convert(features[i], scale, block[i - begin])
        scores_of(block[: end - begin], model, out[begin:end])


@njit(cache=True, nogil=True, error_model="numpy")
def losses_of_all(loss, features, targets, scale, model, outputs, out):
    """out[i] = the loss of sample i at the model, straight from bytes."""
    scores = np.empty((BLOCK, outputs), model.dtype)
    one, half = model.dtype.type(1), model.dtype.type(0.5)
    for begin in range(0, len(features), BLOCK):
        end = min(begin + BLOCK, len(features))
        scores_of_all(features[begin:end], scale, model, scores[: end - begin])
        for i in range(begin, end):
            s = scores[i - begin]
            if loss == SOFTMAX:
                top = s[0]
                for c in range(1, outputs):
                    top = max(top, s[c])
                total = model.dtype.type(0)
                for c in range(outputs):
                    total += np.exp(s[c] - top)
                out[i] = np.log(total) + top - s[np.int64(targets[i])]
            elif loss == LOGISTIC:
                # log(1 + exp(s)) without overflow
                out[i] = np.log1p(np.exp(-abs(s[0]))) + max(s[0], one - one) - model.dtype.type(targets[i]) * s[0]
            else:
                residual = s[0] - model.dtype.type(targets[i])
                out[i] = half * residual * residual
