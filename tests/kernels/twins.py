"""The kernels again in plain NumPy, as they would be written on paper; and arrays that are hard on them.

Where a twin does the same operations in the same order, the kernel must give its bits. Elsewhere a test
states how far apart they may be.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.streams import Stream
from holdfast.typing import Distances, Rows, Vector, Workers

DTYPES = [np.float32, np.float64]
DIMENSIONS = [1, 7, 63, 64, 65, 2047, 2049, 65537]
"""On both sides of lanes, words, blocks and spans."""

quietly = np.errstate(all="ignore")
Bytes = NDArray[np.uint8]
Maker = Callable[[int, int, type], Rows]


def specials(dtype: type) -> list[float]:
    """Every kind of number that arithmetic treats specially; zeros and ones twice, for ties."""
    limits = np.finfo(dtype)
    small, large = float(limits.smallest_subnormal), float(limits.max)
    values = [np.nan, np.inf, 1e38, large, small, 3 * small, float(limits.tiny), 0.0, 0.0, 1.0, 1.0]
    return [sign * value for value in values for sign in (1, -1)]


def ordinary(n: int, d: int, dtype: type, seed: int = 0) -> Rows:
    return np.random.default_rng((n, d, seed)).normal(size=(n, d)).astype(dtype)


def hostile(n: int, d: int, dtype: type, seed: int = 0) -> Rows:
    """Rows of which about a third of the numbers are special and another third are tied."""
    generator = np.random.default_rng((n, d, seed, 1))
    kind, drawn = generator.integers(0, 3, (n, d)), generator.choice(specials(dtype), (n, d))
    return np.choose(kind, [ordinary(n, d, dtype, seed), drawn, generator.integers(-1, 2, (n, d))]).astype(dtype)


def assert_same(result: NDArray[Any], expected: NDArray[Any], note: object = "") -> None:
    """Assert that two arrays are equal to the bit, but for which NaN a NaN is."""
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape), note
    np.testing.assert_array_equal(result, expected, err_msg=str(note))
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[numbers]), np.signbit(expected[numbers]), err_msg=str(note))


@quietly
def mean(rows: Rows) -> Vector:
    """The rows added one after another, as NumPy adds them where they have more than one column."""
    total: Vector = rows[0]
    for row in rows[1:]:
        total = total + row
    mean: Vector = total / rows.dtype.type(len(rows))
    return mean


@quietly
def sign_sum(model: Vector, rows: Rows) -> Vector:
    """sum_i sign(model - v_i), where what is no number has no sign."""
    signs: Vector = np.nan_to_num(np.sign(model - rows), nan=0).sum(axis=0) + 0
    return signs


@quietly
def subgradients(p: float, weight: float, rows: Rows) -> Rows:
    """weight x / |x|_2, where infinite entries are 1 and others beside them 0; or weight sign(x_j) / tied at maxima."""
    x = np.where(np.isnan(rows), 0, rows).astype(np.longdouble)
    top = np.abs(x).max(axis=-1, keepdims=True)
    largest = np.where(np.abs(x) == top, np.sign(x), 0).astype(np.float64)
    if p == np.inf:
        tied = np.abs(largest).sum(axis=-1, keepdims=True)
        shares: Rows = (largest * (weight / np.maximum(tied, 1))).astype(rows.dtype)
        return shares
    x = np.where(np.isinf(top), largest, x)
    length = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    direction: Rows = (weight * x / np.where(length > 0, length, 1)).astype(rows.dtype)
    return direction


@quietly
def mean_of_ranks(rows: Rows, wanted: range) -> Vector:
    """Sort the columns, NaN last, and add the wanted ranks one after another."""
    return mean(np.sort(np.where(np.isnan(rows), np.inf, rows).astype(rows.dtype), axis=0)[wanted])


@quietly
def mean_nearest(rows: Rows, middle: range, nearest: int) -> Vector:
    """Of each sorted column the first neighbours in rank of which the next above is not nearer than the lowest."""
    values = np.sort(np.where(np.isnan(rows), np.inf, rows).astype(rows.dtype), axis=0)
    out = []
    for column, centre in zip(values.T, mean(values[middle]), strict=True):
        first = 0
        while first + nearest < len(column) and column[first + nearest] - centre < centre - column[first]:
            first += 1
        out.append(mean(column[first : first + nearest, np.newaxis])[0])
    return np.array(out, rows.dtype)


@quietly
def lengths(rows: Rows) -> Vector:
    """The roots of the sums of squares; infinite where that is no float64."""
    with_nan = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    return np.where(np.isnan(with_nan), np.inf, with_nan)


def least_diameter(distances: Distances, size: int) -> tuple[int, ...]:
    """The first of all subsets with the least largest distance, then the least sum of distances."""

    def width(rows: tuple[int, ...]) -> tuple[float, float]:
        among = distances[np.ix_(rows, rows)]
        return float(among.max()), float(np.triu(among).sum())

    return min(combinations(range(len(distances)), size), key=width)


def largest_eigenvalue(rows: Rows) -> float:
    """Of the covariance."""
    off = rows - rows.mean(axis=0)
    return float(np.linalg.eigvalsh(off.T @ off / len(off))[-1])


@quietly
def squared_distances(rows: Rows) -> Distances:
    wide = rows.astype(np.longdouble)
    distances = np.array([((wide - row) ** 2).sum(axis=1) for row in wide], np.float64)
    return np.where(np.eye(len(rows)) > 0, 0, np.where(np.isnan(distances), np.inf, distances))


def sampled(rows: Rows, pieces: int, piece: int) -> Rows:
    """Neighbouring columns from the middles of so many equal parts; all, if they are not more."""
    d = rows.shape[1]
    if d <= pieces * piece:
        return rows
    begins = [(2 * k + 1) * d // (2 * pieces) - piece // 2 for k in range(pieces)]
    return np.hstack([rows[:, begin : begin + piece] for begin in begins])


@quietly
def inner_products(rows: Rows, centre: Vector) -> Distances:
    wide = rows.astype(np.longdouble) - centre.astype(np.longdouble)
    return np.array([(wide * row).sum(axis=1) for row in wide], np.float64)


def below_every_row(G: Distances) -> tuple[Vector, bool]:
    """The row r of the least sum, if the pull R on it is at most the number of rows there; else a step along R.

    Rows at a thousandth of the median distance are there, too, if that step leads below r.
    """
    n, squares = len(G), np.diag(G)
    D = np.sqrt(np.maximum(squares[:, np.newaxis] + squares - 2 * G, 0.0))
    best = int(np.argmin(D.sum(axis=1)))
    at = np.eye(n)[best]
    for near in (1e-3 * np.median(D[best]), 0.0):
        elsewhere = D[best] > near
        if elsewhere.any():
            pull = np.zeros(n)
            pull[elsewhere] = 1 / D[best, elsewhere]
            by = pull / pull.sum() - at
            stay = (n - elsewhere.sum()) / (pull.sum() * np.sqrt(by @ G @ by))
            point = at + (1 - stay) * by
            total = np.sqrt(np.maximum(point @ G @ point - 2 * G @ point + squares, 0)).sum()
            if stay < 1 and (near == 0 or total < D[best].sum()):
                return point, False
    return at, True


def weiszfeld(G: Distances, start: Vector, tolerance: float, limit: int) -> tuple[Vector, int | None]:
    """z = sum_i w_i v_i; then w_i in proportion to 1 / |z - v_i|; until z moves little.

    With s the last way that z went and y the change of the step, a step is stretched by -<s, s> / <s, y>, at
    least 1 and at most ten times the last; a stretch above 2 that leads up is shortened to an eighth.
    """
    z = w = start
    least, before, stretch = np.inf, None, 1.0
    for iteration in range(1, limit + 1):
        squares = z @ G @ z - 2 * G @ z + np.diag(G)
        to_rows = np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
        if before is not None and stretch > 2 and to_rows.sum() > least:
            z = z - stretch * before
            stretch = max(stretch / 8, 1)
            z = z + stretch * before
            continue
        least = to_rows.sum()
        w = 1 / to_rows / (1 / to_rows).sum()
        by = w - z
        if by @ G @ by <= (tolerance * np.median(to_rows)) ** 2:
            return w, iteration
        if before is not None:
            s, y = stretch * before, by - before
            wanted = -(s @ G @ s) / (s @ G @ y) if s @ G @ y < 0 else np.inf
            stretch = max(min(wanted, 10 * stretch), 1)
        z, before = z + stretch * by, by
    return w, None


def normals(stream: Stream, workers: Workers, round: int, count: int) -> NDArray[np.float64]:
    """Box and Muller's transform: the first half of the words are radii, the second half turns."""
    pairs = (count + 1) // 2
    uniform = (stream.words(workers, round, 2 * pairs) >> np.uint64(12)) * 2.0**-52
    radius, angle = np.sqrt(-2 * np.log(1 - uniform[:, :pairs])), 2 * np.pi * uniform[:, pairs:]
    return np.hstack([radius * np.cos(angle), radius * np.sin(angle)])[:, :count]


def scaled(features: NDArray[Any], scale: float, dtype: type) -> Rows:
    """Raw samples as numbers of this type, times the scale, rounded once."""
    numbers: Rows = features.astype(dtype) * dtype(scale)
    return numbers


def scores(x: Rows, model: Vector, outputs: int) -> Rows:
    """W x + b in float64; the model is W by rows, then b."""
    wide = model.astype(np.float64)
    return x.astype(np.float64) @ wide[:-outputs].reshape(outputs, -1).T + wide[-outputs:]


@quietly
def losses(loss: str, s: Rows, targets: NDArray[Any]) -> Vector:
    """Cross-entropy of one score a class, of a single one, and half the square of an error."""
    if loss == "softmax":
        found: Vector = np.logaddexp.reduce(s, axis=1) - s[np.arange(len(s)), targets]
    elif loss == "logistic":
        found = np.logaddexp(0, s[:, 0]) - targets * s[:, 0]
    else:
        found = (s[:, 0] - targets) ** 2 / 2
    return found


@quietly
def residuals(loss: str, s: Rows, targets: NDArray[Any]) -> Rows:
    """The derivatives of the losses by the scores."""
    if loss == "softmax":
        likely: Rows = np.exp(s - s.max(axis=1, keepdims=True))
        likely = likely / likely.sum(axis=1, keepdims=True)
        chosen: Rows = likely - (np.arange(s.shape[1]) == targets[:, np.newaxis])
        return chosen
    likely = 1 / (1 + np.exp(-s)) if loss == "logistic" else s
    missed: Rows = likely - targets[:, np.newaxis]
    return missed


@quietly
def gradient(
    loss: str, x: Rows, targets: NDArray[Any], model: Vector, weight: float, outputs: int
) -> tuple[Vector, Vector]:
    """Return weight times the sum of the samples' gradients in float64, and how wrong the model's type may get it.

    A sum of k products is wrong by at most (k + 1) eps times the sum of their sizes; a score's error passes
    through the loss at most undiminished.
    """
    eps, (batch, width) = float(np.finfo(model.dtype).eps), x.shape
    by_scores = weight * residuals(loss, scores(x, model, outputs), targets)
    sizes = scores(np.abs(x), np.abs(model), outputs).max(axis=1, keepdims=True)
    wrong = weight * eps * ((width + 16) * sizes + 16 * (1 + np.abs(targets)[:, np.newaxis]))
    wrong = wrong + (batch + 8) * eps * np.abs(by_scores)
    wide = x.astype(np.float64)
    found = np.concatenate([(by_scores.T @ wide).ravel(), by_scores.sum(axis=0)])
    return found, np.concatenate([(wrong.T @ np.abs(wide)).ravel(), wrong.sum(axis=0)])


@quietly
def l1_step(models: Rows, master: Vector, gradients: Rows, rate: float, penalty: float) -> Rows:
    """x - rate (gradient + penalty sign(x - master)), every operation rounded."""
    signs = np.nan_to_num(np.sign(models - master), nan=0)
    return models - rate * (gradients + penalty * signs)


def unpacked(messages: Bytes) -> Bytes:
    """The bits of planar messages by coordinate: bit j of byte b belongs to coordinate j * width + b."""
    n, width = messages.shape
    bits = np.unpackbits(messages.reshape(n, width, 1), axis=2, bitorder="little")
    return bits.transpose(0, 2, 1).reshape(n, 8 * width)


def pack_bits(model: Vector, rows: Rows, coins: Bytes) -> Bytes:
    """Which coordinates of the model are above the rows', by the coins where they are equal."""
    n, width = coins.shape
    above = np.zeros((n, 8 * width), np.uint8)
    above[:, : len(model)] = (model > rows) | ((model == rows) & (unpacked(coins)[:, : len(model)] == 1))
    return np.packbits(above.reshape(n, 8, width), axis=1, bitorder="little")[:, 0]


def count_bits(messages: Bytes, d: int) -> Bytes:
    counts: Bytes = unpacked(messages)[:, :d].sum(axis=0, dtype=np.uint8)
    return counts


def weigh_bits(messages: Bytes, weights: Vector, d: int) -> Vector:
    """Weights with the sign that the bits say, those of weight 0 left out, added four rows at a time."""
    rows = np.where(unpacked(messages)[:, :d] == 1, weights[:, np.newaxis], -weights[:, np.newaxis])[weights != 0]
    total = np.zeros(d, weights.dtype)
    whole = len(rows) // 4 * 4
    for a, b, c, e in rows[:whole].reshape(-1, 4, d):
        total += (a + b) + (c + e)
    for row in rows[whole:]:
        total += row
    return total
