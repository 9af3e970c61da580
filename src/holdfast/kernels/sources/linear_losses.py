"""The losses of linear scores, and their derivatives by the scores."""

import numpy as np

from holdfast.kernels.compile_cache import jit

from .elementary import exp, log, log1p
from .scoring import BLOCK, scores_of_all

SOFTMAX, LOGISTIC, LEAST_SQUARES = 0, 1, 2


@jit
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


@jit
def residuals_of(loss, scores, targets, weight, out):
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


@jit
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
