"""Sorting networks by the 0-1 principle: what sorts all sequences of zeros and ones sorts everything."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast.kernels import WRITTEN_OUT
from holdfast.kernels.sorting_networks import moves, prune, sorting_network, source

Values = NDArray[np.int64]

RUBBISH = 99
"""What stands on a wire that nobody should read any more."""


def every_sequence(n: int) -> Values:
    """All 2^n sequences of zeros and ones, a column each."""
    return (np.arange(2**n) >> np.arange(n)[:, np.newaxis]) & 1


def some_sequences(n: int) -> Values:
    """Sequences of zeros and ones with every number of ones, many times over; and some permutations."""
    generator = np.random.default_rng(n)
    zeros_and_ones = np.tile(np.arange(n)[:, np.newaxis] < np.arange(n + 1), 8).astype(np.int64)
    numbers = np.tile(np.arange(n)[:, np.newaxis], 50)
    return generator.permuted(np.hstack([zeros_and_ones, numbers]), axis=0)


def ranges(n: int) -> list[range]:
    """Every range of ranks that is not empty."""
    return [range(first, last + 1) for first, last in combinations_with_replacement(range(n), 2)]


def some_ranges(n: int) -> list[range]:
    """What the rules ask for: medians, trimmed means, the mean; and either end."""
    middle = range((n - 1) // 2, n // 2 + 1)
    return [middle, range(n // 4, n - n // 4), range(n), range(1), range(n - 1, n)]


def through_exchanges(n: int, wanted: range, values: Values) -> Values:
    """The wanted wires of a pruned network; halves that are left out leave rubbish."""
    wires = values.copy()
    for exchange in prune(sorting_network(n), wanted):
        a, b = wires[exchange.a].copy(), wires[exchange.b].copy()
        wires[exchange.a] = np.minimum(a, b) if exchange.keeps_low else RUBBISH
        wires[exchange.b] = np.maximum(a, b) if exchange.keeps_high else RUBBISH
    return wires[wanted]


def through_moves(n: int, wanted: range, values: Values) -> Values:
    """The wanted ranks by moves between n + 2 lines; lines that were read hold rubbish."""
    lines = np.vstack([values, np.full((2, values.shape[1]), RUBBISH)])
    made, at = moves(n, wanted)
    for a, b, low, high in made:
        assert len({a, b, low, high}) == 4
        assert {a, b, low, high} <= set(range(n + 2))
        x, y = lines[a].copy(), lines[b].copy()
        lines[[low, high]] = np.minimum(x, y), np.maximum(x, y)
        lines[[a, b]] = RUBBISH
    return lines[at]


@pytest.mark.parametrize("n", range(1, 11))
def test_every_sequence_of_up_to_ten(n: int) -> None:
    values = every_sequence(n)
    for wanted in ranges(n):
        expected = np.sort(values, axis=0)[wanted]
        np.testing.assert_array_equal(through_exchanges(n, wanted, values), expected, err_msg=str(wanted))
        np.testing.assert_array_equal(through_moves(n, wanted, values), expected, err_msg=str(wanted))


@pytest.mark.parametrize("n", range(11, 41))
def test_some_sequences_of_more(n: int) -> None:
    values = some_sequences(n)
    for wanted in some_ranges(n):
        expected = np.sort(values, axis=0)[wanted]
        np.testing.assert_array_equal(through_exchanges(n, wanted, values), expected, err_msg=str(wanted))
        np.testing.assert_array_equal(through_moves(n, wanted, values), expected, err_msg=str(wanted))


def test_the_size_of_batchers_networks() -> None:
    """(p^2 - p + 4) 2^(p - 2) - 1 exchanges of 2^p wires (Knuth, 5.3.4): 1, 5, 19, 63, 191."""
    assert [len(sorting_network(2**p)) for p in range(6)] == [0, 1, 5, 19, 63, 191]


@pytest.mark.parametrize("n", [2, 7, 16, 33])
def test_only_what_nobody_reads_is_left_out(n: int) -> None:
    whole = sorting_network(n)
    assert prune(whole, range(n)) == whole
    for wanted in (range(1), range(n // 2, n // 2 + 1), range(n - 1, n)):
        kept = prune(whole, wanted)
        assert len(kept) < len(whole) or n == 2
        assert not all(exchange.keeps_low and exchange.keeps_high for exchange in kept)
        assert all(exchange.keeps_low or exchange.keeps_high for exchange in kept)


def test_the_smallest_of_n_takes_n_minus_one_comparisons() -> None:
    assert [len(prune(sorting_network(n), range(1))) for n in (2, 4, 8, 16, 32)] == [1, 3, 7, 15, 31]


def interpreted(text: str, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the text of a written-out network computes, by Python instead of numba."""
    body = [line for line in text.splitlines() if not line.startswith(("import", "from", "@"))]
    scope: dict[str, Any] = {
        "np": np,
        "low": min,
        "high": max,
        "nan_to_infinity": lambda x, infinity: infinity if np.isnan(x) else x,
    }
    exec("\n".join(body), scope)
    out = np.full(rows.shape[1], np.nan)
    scope["mean_of_ranks"](rows, 0, rows.shape[1], out)
    return out


@pytest.mark.parametrize("n", range(1, WRITTEN_OUT + 1))
def test_the_text_of_a_network_sorts_too(n: int) -> None:
    values = every_sequence(n) if n <= 8 else some_sequences(n)[:, ::7]
    rows = values.astype(np.float64)
    for wanted in some_ranges(n):
        expected = np.sort(rows, axis=0)[wanted].sum(axis=0) / len(wanted)
        np.testing.assert_array_equal(interpreted(source(n, wanted), rows), expected, err_msg=str(wanted))


def test_the_text_of_a_network_takes_nan_for_infinity() -> None:
    rows = np.array([[np.nan, 1.0], [2.0, np.nan], [3.0, -1.0]])
    assert interpreted(source(3, range(1, 2)), rows).tolist() == [3, 1]
    assert interpreted(source(3, range(2, 3)), rows).tolist() == [np.inf, np.inf]
