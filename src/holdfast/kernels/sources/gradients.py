"""Gradients of linear problems on some samples: tiles of four samples by five outputs, sums in registers."""

from holdfast.kernels.compile_cache import jit

from .lanes import fma
from .linear_losses import residuals_of
from .scoring import scores_of


@jit
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
        a[j] = fma(a3, v, fma(a2, u, fma(a1, t, fma(a0, s, a[j]))))
        b[j] = fma(b3, v, fma(b2, u, fma(b1, t, fma(b0, s, b[j]))))
        c[j] = fma(c3, v, fma(c2, u, fma(c1, t, fma(c0, s, c[j]))))
        d[j] = fma(d3, v, fma(d2, u, fma(d1, t, fma(d0, s, d[j]))))
        e[j] = fma(e3, v, fma(e2, u, fma(e1, t, fma(e0, s, e[j]))))


@jit
def _add_4x1(w, x, y, z, r, a):
    """The same for a single row."""
    number = a.dtype.type
    a0, a1, a2, a3 = r[0], r[1], r[2], r[3]
    for j in range(len(a)):
        s, t, u, v = number(w[j]), number(x[j]), number(y[j]), number(z[j])
        a[j] = fma(a3, v, fma(a2, u, fma(a1, t, fma(a0, s, a[j]))))


@jit
def combine(features, rows, scale, residuals, out):
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


@jit
def gradient_of(loss, features, rows, following, scale, targets, model, weight, scores, residuals, out):
    """out = weight * sum over these samples of the gradient of their loss at `model`.

    `residuals` is padded with zeros to a multiple of four samples: the last sample then counts again, for nothing.
    """
    scores_of(features, rows, following, scale, model, scores)
    residuals_of(loss, scores, targets, weight, residuals)
    combine(features, rows, scale, residuals, out)
