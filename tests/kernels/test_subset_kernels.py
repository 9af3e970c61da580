"""Searches through subsets against going through all of them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st

from holdfast import kernels
from holdfast.aggregators import squared_distances
from holdfast.typing import Rows

seeds = st.integers(0, 2**32 - 1)
every_size = pytest.mark.parametrize(("n", "size"), [(1, 1), (2, 1), (4, 4), (5, 3), (8, 5), (9, 8), (10, 6)])


def drawn(seed: int, n: int, d: int, ties: bool, twins: bool = False) -> Rows:
    """Rows among which some may be far away, some as far as others, and some the same."""
    random = np.random.default_rng(seed)
    rows: Rows = random.normal(size=(n, d)) * random.choice([1, 1, 1, 30, 1e8], (n, 1))
    if twins:
        rows = rows[random.integers(0, n, n)]
    return rows.round() if ties else rows


@every_size
@given(seeds, st.integers(1, 4), st.booleans())
def test_least_diameter(n: int, size: int, seed: int, d: int, ties: bool) -> None:
    distances = squared_distances(drawn(seed, n, d, ties))
    assert tuple(kernels.least_diameter(distances, size)) == twins.least_diameter(distances, size)


@every_size
@given(seeds, st.integers(1, 4))
def test_least_diameter_of_rows_that_are_the_same(n: int, size: int, seed: int, d: int) -> None:
    """Which of them it takes may depend on how sums round, its width and their sum do not."""
    distances = squared_distances(drawn(seed, n, d, ties=False, twins=True))

    def width(rows: Sequence[int]) -> tuple[float, float]:
        among = distances[np.ix_(rows, rows)]
        return float(among.max()), float(among.sum())

    found = width(kernels.least_diameter(distances, size).tolist())
    assert found == pytest.approx(width(twins.least_diameter(distances, size)), rel=1e-12)


def test_least_diameter_of_infinities() -> None:
    distances = squared_distances(np.array([[0.0], [np.nan], [5.0], [np.inf], [6.0]]))
    assert kernels.least_diameter(distances, 3).tolist() == [0, 2, 4]
    assert kernels.least_diameter(distances, 4).tolist() == [0, 1, 2, 3]


@every_size
@given(seeds, st.integers(1, 12), st.booleans(), st.booleans())
def test_least_eigenvalue(n: int, size: int, seed: int, d: int, ties: bool, twins_too: bool) -> None:
    """No subset has a smaller one, up to rounding: which of equally good ones it is may depend on that."""
    rows = drawn(seed, n, d, ties, twins_too)
    off = rows - rows[np.abs(rows).max(axis=1).argmin()]
    found = twins.largest_eigenvalue(rows[kernels.least_eigenvalue(off @ off.T, size)])
    least = min(twins.largest_eigenvalue(rows[list(chosen)]) for chosen in combinations(range(n), size))
    assert found <= least * (1 + 1e-9) + 1e-12 * np.abs(rows).min(axis=0).max() ** 2


def test_of_sets_that_are_alike_the_first() -> None:
    assert kernels.least_eigenvalue(np.zeros((6, 6)), 4).tolist() == [0, 1, 2, 3]
    assert kernels.least_diameter(np.zeros((6, 6)), 4).tolist() == [0, 1, 2, 3]
