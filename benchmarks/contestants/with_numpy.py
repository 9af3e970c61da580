"""What one would write with NumPy alone. The first way of each rule is the reference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contestants.ways import Way
from benchmarks.inputs import Inputs

Rows = NDArray[np.float32]


def _product_mean(rows: Rows) -> Rows:
    return np.full(len(rows), 1 / len(rows), rows.dtype) @ rows


def _directions(residuals: Rows) -> Rows:
    return (residuals / np.linalg.norm(residuals, axis=1, keepdims=True)).sum(axis=0)


def _largest(residuals: Rows) -> Rows:
    sizes = np.abs(residuals)
    largest = sizes == sizes.max(axis=1, keepdims=True)
    return (np.sign(residuals) * largest / largest.sum(axis=1, keepdims=True, dtype=residuals.dtype)).sum(axis=0)


def _sorted_median(rows: Rows) -> Rows:
    n = len(rows)
    return np.sort(rows, axis=0)[(n - 1) // 2 : n // 2 + 1].mean(axis=0)


def _krum(rows: Rows, byzantine: int) -> Rows:
    """By a Gramian, which is fast; far from the origin it loses the distances."""
    products = rows @ rows.T
    squares = np.diag(products)
    distances = squares[:, np.newaxis] + squares - 2 * products
    np.fill_diagonal(distances, np.inf)
    scores = np.sort(distances, axis=1)[:, : len(rows) - byzantine - 2].sum(axis=1)
    return rows[np.argmin(scores)]


def _weiszfeld(rows: Rows, tolerance: float = 1e-7, limit: int = 1000) -> Rows:
    """The classic iteration on the rows themselves, from their mean, ending by the same rule as ours."""
    middle = rows.mean(axis=0)
    for _ in range(limit):
        distances = np.linalg.norm(rows - middle, axis=1)
        weights = 1 / distances
        moved = weights @ rows / weights.sum()
        step = np.linalg.norm(moved - middle)
        middle = moved
        if step <= tolerance * np.median(distances):
            break
    return middle


def _sides(given: Inputs, packed: Any) -> Any:
    return np.unpackbits(packed, axis=1)[:, : given.model.size]


def _count(bits: NDArray[np.uint8], d: int) -> NDArray[np.uint8]:
    return np.unpackbits(bits, axis=1)[:, :d].sum(axis=0, dtype=np.uint8)


RULES = {
    "mean": [
        Way(lambda given: given.rows.mean(axis=0), "mean(axis=0)"),
        Way(lambda given: _product_mean(given.rows), "w @ V"),
    ],
    "sum of signs": [Way(lambda given: np.sign(given.model - given.rows).sum(axis=0))],
    "l2 pull": [Way(lambda given: _directions(given.model - given.rows))],
    "l-infinity pull": [Way(lambda given: _largest(given.model - given.rows))],
    "median": [
        Way(lambda given: np.median(given.rows, axis=0), "np.median"),
        Way(lambda given: _sorted_median(given.rows), "np.sort"),
    ],
    "trimmed mean": [
        Way(lambda given: np.sort(given.rows, axis=0)[given.byzantine : len(given.rows) - given.byzantine].mean(axis=0))
    ],
    "Krum": [Way(lambda given: _krum(given.rows, given.byzantine), "Gramian")],
    "geometric median": [Way(lambda given: _weiszfeld(given.rows), "classic Weiszfeld")],
    "packing bits": [Way(lambda given: np.packbits(given.model > given.rows, axis=1), read=_sides)],
    "counting bits": [Way(lambda given: _count(given.numpy_bits, given.model.size))],
}
