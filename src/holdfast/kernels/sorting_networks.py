"""Sorting networks, cut down to the ranks that are wanted, written out as straight-line code.

Batcher's odd-even merge sort (1968) for any number of rows. An exchange whose results are not read is
left out; of an exchange with one result that is read, only that half is kept. Written out, one exchange is two
machine instructions for eight columns at once.
"""

from typing import NamedTuple


class Exchange(NamedTuple):
    """Put the smaller value of wires a < b on a and the larger on b, as far as they are read."""

    a: int
    b: int
    keeps_low: bool = True
    keeps_high: bool = True


def sorting_network(n: int) -> list[Exchange]:
    """Return exchanges that sort n wires (Knuth, The Art of Computer Programming 3, Algorithm 5.2.2M)."""
    exchanges = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        exchanges.append(Exchange(i + j, i + j + k))
            k //= 2
        p *= 2
    return exchanges


def prune(exchanges: list[Exchange], wanted: range) -> list[Exchange]:
    """Return what of a network still matters if only these wires are read at its end."""
    read, kept = set(wanted), []
    for exchange in reversed(exchanges):
        low, high = exchange.a in read, exchange.b in read
        if low or high:
            kept.append(exchange._replace(keeps_low=low, keeps_high=high))
            read |= {exchange.a, exchange.b}
    return kept[::-1]


def moves(n: int, wanted: range) -> tuple[list[tuple[int, int, int, int]], list[int]]:
    """Return the same network as moves between n + 2 lines, and on which lines the wanted ranks end.

    A move (a, b, low, high) reads lines a and b and writes two lines that are free; then a and b are.
    """
    line, free, made = list(range(n)), [n, n + 1], []
    for exchange in prune(sorting_network(n), wanted):
        a, b, low, high = line[exchange.a], line[exchange.b], *free
        made.append((a, b, low, high))
        line[exchange.a], line[exchange.b], free = low, high, [a, b]
    return made, [line[wire] for wire in wanted]


def source(n: int, wanted: range) -> str:
    """Return the module whose `mean_of_ranks(rows, first, last, out)` averages these ranks of every column of n rows.

    >>> print(source(3, range(1, 2)))  # the median of three
    import numpy as np
    from holdfast.kernels.compile_cache import jit
    <BLANKLINE>
    from .nearest import nearer
    from .sorting import high, low, nan_to_infinity
    <BLANKLINE>
    <BLANKLINE>
    @jit
    def mean_of_ranks(rows, first, last, out):
        infinity, total = rows.dtype.type(np.inf), out[first:last]
        zero = out.dtype.type(0)
        r0 = rows[0, first:last]
        r1 = rows[1, first:last]
        r2 = rows[2, first:last]
        for j in range(len(total)):
            v0 = nan_to_infinity(r0[j], infinity)
            v1 = nan_to_infinity(r1[j], infinity)
            v2 = nan_to_infinity(r2[j], infinity)
            v0, v1 = low(v0, v1), high(v0, v1)
            v2 = high(v0, v2)
            v1 = low(v1, v2)
            total[j] = v1
    <BLANKLINE>
    """
    body = [*map(_statement, prune(sorting_network(n), wanted)), f"total[j] = {_mean(wanted)}"]
    rows = [f"rows[{i}, first:last]" for i in range(n)]
    return _write("mean_of_ranks(rows, first, last, out)", rows, body)


def nearest_source(n: int, middle: range, nearest: int) -> str:
    """Return the module whose `mean_nearest(rows, chosen, first, last, out)` is that of `sources/nearest.py`, in line.

    >>> print(nearest_source(3, range(1, 2), 2).partition("c = v1")[2])  # the mean of the two nearest to the median
    <BLANKLINE>
            s = zero
            s += zero if nearer(v2, v0, c) else v0
            s += v1
            s += v2 if nearer(v2, v0, c) else zero
            total[j] = s / out.dtype.type(2)
    <BLANKLINE>
    """
    body = [*map(_statement, sorting_network(n)), f"c = {_mean(middle)}", "s = zero"]
    body += [f"s += {_if_near(i, n, nearest)}" for i in range(n)]
    body.append(f"total[j] = s / out.dtype.type({nearest})")
    rows = [f"rows[chosen[{i}], first:last]" for i in range(n)]
    return _write("mean_nearest(rows, chosen, first, last, out)", rows, body)


def _write(function: str, rows: list[str], body: list[str]) -> str:
    """Return the module of a function that runs its body for every column j, with values v0, v1, ... of these rows."""
    lines = [
        "import numpy as np",
        "from holdfast.kernels.compile_cache import jit",
        "",
        "from .nearest import nearer",
        "from .sorting import high, low, nan_to_infinity",
        "",
        "",
        "@jit",
        f"def {function}:",
        "    infinity, total = rows.dtype.type(np.inf), out[first:last]",
        "    zero = out.dtype.type(0)",
        *(f"    r{i} = {row}" for i, row in enumerate(rows)),
        "    for j in range(len(total)):",
        *(f"        v{i} = nan_to_infinity(r{i}[j], infinity)" for i in range(len(rows))),
        *(f"        {statement}" for statement in body),
    ]
    return "\n".join(lines) + "\n"


def _if_near(i: int, n: int, nearest: int) -> str:
    """Return rank i, or zero where it is not among the nearest: see `sources/nearest.py`."""
    value = f"v{i}" if i < nearest else f"v{i} if nearer(v{i}, v{i - nearest}, c) else zero"
    if i + nearest >= n:
        return value
    return f"zero if nearer(v{i + nearest}, v{i}, c) else {value}"


def _statement(exchange: Exchange) -> str:
    a, b = f"v{exchange.a}", f"v{exchange.b}"
    low, high = f"low({a}, {b})", f"high({a}, {b})"
    if exchange.keeps_low and exchange.keeps_high:
        return f"{a}, {b} = {low}, {high}"
    return f"{a} = {low}" if exchange.keeps_low else f"{b} = {high}"


def _mean(wanted: range) -> str:
    if len(wanted) == 1:
        return f"v{wanted[0]}"
    return f"({' + '.join(f'v{i}' for i in wanted)}) / out.dtype.type({len(wanted)})"
