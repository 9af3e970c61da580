"""Inputs on which laws are tried: small ones first, so that counterexamples are small."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from holdfast.typing import Rows

T = TypeVar("T")
HOSTILE = [np.nan, np.inf, -np.inf, 1e30, -1e30, 3.4e38, 1e154, -1e154, 1e308]
"""What a lying row may hold; float32 makes infinity of the last ones."""
DTYPES = st.sampled_from([np.float32, np.float64])
FEW = 5
"""The least number of rows with one lie among them, for a rule without a declared number."""


def for_every_part(inputs: st.SearchStrategy[T]) -> Callable[[object], st.SearchStrategy[T]]:
    """Return inputs that are the same for every part."""
    return lambda part: inputs


SEEDS = ROUNDS = for_every_part(st.integers(0, 1000))
ORDERS = for_every_part(st.integers(0, 10**6))
"""Numbers of permutations: 0 leaves the order as it is, 1 exchanges the first two rows."""


class Attacked(NamedTuple):
    """Rows, and which of them lie."""

    rows: Rows
    lies: list[int]


def count_of(part: object) -> int | None:
    """Return the declared number of a rule or stage; None if it has no such option."""
    count = getattr(part, getattr(part, "declared_option", "byzantine"), None)
    return count if isinstance(count, int) else None


def least_rows(part: object) -> int:
    """Return a number of rows with which every rule of the field works for this declared number."""
    count = count_of(part)
    times, more = getattr(part, "needs", (2, 1))
    return 3 if count is None else times * count + max(more, 4)


def sizes(part: object) -> st.SearchStrategy[int]:
    """Return numbers of rows."""
    return st.integers(least_rows(part), least_rows(part) + 6)


def finite_rows(part: object) -> st.SearchStrategy[Rows]:
    """Rows of either type, often tied."""
    elements = st.integers(-9, 9).map(float) | st.floats(-1000, 1000, width=32)
    shapes = st.tuples(sizes(part), st.integers(1, 4))
    return st.tuples(DTYPES, shapes).flatmap(lambda drawn: arrays(drawn[0], drawn[1], elements=elements))


def generic_rows(part: object) -> st.SearchStrategy[Rows]:
    """Random float64 rows, neither tied in a coordinate nor on a line: there, several results may be equally right."""
    rows = st.builds(normal_rows, sizes(part), st.integers(2, 4), st.integers(0, 2**20))
    return rows.filter(lambda rows: all(len(np.unique(column)) == len(rows) for column in rows.T))


def normal_rows(n: int, d: int, seed: int) -> Rows:
    """Normal values of four decimals."""
    return np.random.default_rng(seed).normal(size=(n, d)).round(4)


def one_row(part: object) -> st.SearchStrategy[Rows]:
    """One row, several times over."""
    entries = st.lists(st.sampled_from([0.0, 1.0, 0.1, -1e-30, 3e7]) | st.floats(-1e3, 1e3), min_size=1, max_size=4)
    return st.builds(lambda n, row, dtype: np.tile(np.array(row, dtype), (n, 1)), sizes(part), entries, DTYPES)


def permutation(n: int, number: int) -> list[int]:
    """Return an order of n rows, by Lehmer's code.

    >>> permutation(4, 0), permutation(4, 1), permutation(4, 23)
    ([0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0])
    """
    rows, order = list(range(n)), []
    for left in range(n, 0, -1):
        number, place = divmod(number, left)
        order.append(rows.pop(place))
    return order


def attacked_rows(part: object) -> st.SearchStrategy[Attacked]:
    """Rows among which the declared number lie; one of at least five without a declared number."""
    count = count_of(part)
    most = 1 if count is None else count
    least = max(least_rows(part), FEW)

    @st.composite
    def cases(draw: st.DrawFn) -> Attacked:
        n, d, dtype = draw(st.integers(least, least + 4)), draw(st.integers(1, 3)), draw(DTYPES)
        rows = normal_rows(n, d, draw(st.integers(0, 2**20))) * draw(st.sampled_from([1.0, 1e-3, 1e3]))
        lies = sorted(draw(st.permutations(range(n)))[: draw(st.integers(min(1, most), most))])
        entries = st.sampled_from(HOSTILE) | st.floats(-50, 50)
        for lie in lies:
            rows[lie] = draw(st.lists(entries, min_size=d, max_size=d) | entries.map(lambda entry: [entry] * d))
        with np.errstate(over="ignore"):
            return Attacked(rows.astype(dtype), lies)

    return cases()


def _wild(*special: float, finite: bool) -> st.SearchStrategy[Rows]:
    def of(drawn: tuple[Any, tuple[int, int]]) -> st.SearchStrategy[Rows]:
        dtype, shape = drawn
        limits = np.finfo(dtype)
        ties = [0.0, 1.0, -1.0, -0.0, float(limits.max), float(-limits.max), float(limits.smallest_subnormal), *special]
        width: Literal[32, 64] = 32 if dtype is np.float32 else 64
        entries = st.sampled_from(ties) | st.floats(-3, 3, width=width)
        entries |= st.floats(allow_nan=not finite, allow_infinity=not finite, width=width)
        return arrays(dtype, shape, elements=entries)

    return st.tuples(DTYPES, st.tuples(st.integers(1, 4), st.integers(1, 6))).flatmap(of)


ANYTHING = for_every_part(_wild(np.nan, np.inf, -np.inf, finite=False))
"""Rows of either type with entries of any size, often tied, often NaN or infinite."""
_FINITE = _wild(finite=True)
ANY_SIZE = for_every_part(_FINITE)
"""Finite rows of either type with entries of any size, often tied."""
MODERATE = for_every_part(
    _FINITE.map(lambda rows: np.where((np.abs(rows) < 1e6) & (np.abs(rows) > 1e-6), rows, 0 * rows))
)
"""Finite rows whose sums do not overflow, nor their differences underflow."""
