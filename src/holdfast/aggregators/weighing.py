"""Rules that can give some workers more weight than others, as a server declares it."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.typing import Rows, Vector

Weights = NDArray[np.float64]
"""Positive, one per row."""


@runtime_checkable
class Weighing(Protocol):
    """A rule that takes weights; equal ones change nothing beyond rounding."""

    def __call__(self, rows: Rows) -> Vector: ...

    def weigh(self, rows: Rows, weights: Weights) -> Vector:
        """Return what the rule makes of rows of which each counts as many times as its weight says."""


def sort_columns(rows: Rows, weights: Weights) -> tuple[Rows, Weights]:
    """Return every column in order, NaN as +infinity and last, and the weight up to and with each of its values.

    Two arrays of the rows' shape; the sums are in float64.
    """
    known = np.where(np.isnan(rows), np.inf, rows).astype(rows.dtype)
    order = np.argsort(known, axis=0, kind="stable")
    return np.take_along_axis(known, order, axis=0), np.cumsum(weights[order], axis=0)


def mean_between(values: Rows, sums: Weights, low: float, high: float) -> Vector:
    """Return the mean of every column's values between two sums of weights; those that reach beyond count in part."""
    before = np.vstack([np.zeros_like(sums[:1]), sums[:-1]])
    parts: Any = np.clip(np.minimum(sums, high) - np.maximum(before, low), 0, None)
    with np.errstate(invalid="ignore"):
        weighed = np.where(parts > 0, parts * values, 0)  # what has no part may be infinite
    return np.asarray(weighed.sum(axis=0) / (high - low), values.dtype)
