"""The formulas of rules whose constants differ between libraries, the constants being arguments. Plain NumPy."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from holdfast.typing import Rows, Vector

Direction = Callable[[Rows, Vector], tuple[float, Vector]]
"""Of centred rows and their weights: (an estimate of) the largest eigenvalue of their covariance, and its vector."""


def lower_median(rows: Rows) -> Vector:
    """The lower of the two middle values where there are two."""
    middle: Vector = np.sort(rows, axis=0)[(len(rows) - 1) // 2]
    return middle


def nearest_mean(rows: Rows, centre: Vector, count: int) -> Vector:
    """The mean of the `count` values of each coordinate nearest to a centre."""
    order = np.argsort(np.abs(rows - centre), axis=0, kind="stable")[:count]
    mean: Vector = np.take_along_axis(rows, order, axis=0).mean(axis=0)
    return mean


def weiszfeld(rows: Rows, start: Vector, floor: float, steps: int, shortest: float = 0.0) -> Vector:
    """Weiszfeld's steps; distances below `floor` count as that, and a step below `shortest` is the last."""
    z = start
    for _ in range(steps):
        pulls = 1 / np.maximum(np.linalg.norm(rows - z, axis=1), floor)
        moved = pulls @ rows / pulls.sum()
        z, way = moved, float(np.linalg.norm(moved - z))
        if way <= shortest:
            break
    return z


def clipped_steps(rows: Rows, start: Vector, radius: float, steps: int) -> Vector:
    """Centred clipping from a given start."""
    v = start
    for _ in range(steps):
        away = rows - v
        v = v + (away * np.minimum(1, radius / np.linalg.norm(away, axis=1))[:, np.newaxis]).mean(axis=0)
    return v


def exactly(rows: Rows, weights: Vector) -> tuple[float, Vector]:
    """The largest eigenvalue and its vector as LAPACK finds them."""
    values, vectors = np.linalg.eigh((weights[:, np.newaxis] * rows).T @ rows / weights.sum())
    return float(values[-1]), vectors[:, -1]


def by_power(draw: Callable[[int], Vector], steps: int, rayleigh: bool) -> Direction:
    """Power steps from a drawn vector; the value is the last step's length, or the variance along the vector."""

    def direction(rows: Rows, weights: Vector) -> tuple[float, Vector]:
        vector = draw(rows.shape[1])
        vector, length = vector / np.linalg.norm(vector), 0.0
        for _ in range(steps):
            stepped = (weights * (rows @ vector)) @ rows / weights.sum()
            length = float(np.linalg.norm(stepped))
            vector = stepped / length
        return (float(weights @ (rows @ vector) ** 2 / weights.sum()) if rayleigh else length), vector

    return direction


def caf(rows: Rows, byzantine: int, direction: Direction) -> Any:
    """The filter of Allouah et al. (2025), whatever finds the direction; None if it never begins."""
    n, c = len(rows), np.ones(len(rows))
    best, least = None, np.inf
    while c.sum() > n - 2 * byzantine:
        mean = c @ rows / c.sum()
        value, vector = direction(rows - mean, c)
        if value < least:
            best, least = mean, value
        tau = ((rows - mean) @ vector) ** 2
        c = c * (1 - tau / tau.max())
    return best


def smea(rows: Rows, byzantine: int, direction: Direction) -> Vector:
    """The mean of the n - byzantine rows with the least largest eigenvalue, whatever finds that."""
    best: Vector = rows.mean(axis=0)
    least = np.inf
    for subset in combinations(range(len(rows)), len(rows) - byzantine):
        mean: Vector = rows[list(subset)].mean(axis=0)
        value, _ = direction(rows[list(subset)] - mean, np.ones(len(subset)))
        if value < least:
            best, least = mean, value
    return best


def krum_scores(rows: Rows, neighbours: int) -> Vector:
    """The sums of the squared distances to so many nearest others."""
    squares = ((rows[:, np.newaxis] - rows) ** 2).sum(axis=2)
    scores: Vector = np.sort(squares, axis=1)[:, 1 : 1 + neighbours].sum(axis=1)
    return scores


def one_shot_bulyan(rows: Rows, byzantine: int) -> Vector:
    """Bulyan whose n - 2 byzantine rows are those of the least Krum scores, not the choices one after the other."""
    n = len(rows)
    scores = krum_scores(rows, n - byzantine - 2)
    chosen = rows[np.argsort(scores, kind="stable")[: n - 2 * byzantine]]
    return nearest_mean(chosen, np.median(chosen, axis=0), n - 4 * byzantine)


def bulyan_by_first(rows: Rows, byzantine: int) -> Vector:
    """Bulyan whose Krum goes by at least one neighbour, and chooses the first of tied rows."""
    n, left = len(rows), rows
    chosen: list[Vector] = []
    while len(chosen) < n - 2 * byzantine:
        best = int(krum_scores(left, max(len(left) - byzantine - 2, 1)).argmin())
        chosen.append(left[best])
        left = np.delete(left, best, axis=0)
    return nearest_mean(np.array(chosen), np.median(chosen, axis=0), n - 4 * byzantine)


def first_least_diameter(rows: Rows, byzantine: int) -> Vector:
    """The mean of the first n - byzantine rows, in lexicographic order, whose widest pair is nearest."""
    squares = ((rows[:, np.newaxis] - rows) ** 2).sum(axis=2)
    subsets = (list(subset) for subset in combinations(range(len(rows)), len(rows) - byzantine))
    best = min(subsets, key=lambda subset: float(squares[np.ix_(subset, subset)].max()))
    mean: Vector = rows[best].mean(axis=0)
    return mean


def buckets(rows: Rows, size: int) -> Rows:
    """The means of so many neighbours; the last bucket holds what is left."""
    return np.array([rows[first : first + size].mean(axis=0) for first in range(0, len(rows), size)])
