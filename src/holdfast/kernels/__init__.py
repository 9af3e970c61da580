"""Compiled arithmetic, each piece with its plain NumPy twin in the tests.

These functions take NumPy arrays of float32 or float64 in any layout, never change them, and return new
ones. `sources/` holds what is compiled, `loading` imports it, `compile_cache` keeps it on disk. The other modules call
it: `row_pairs` for pairs of rows, `linear_models` for linear problems, `penalty_steps` for RSA's penalties,
`comparisons` for the watching master. docs/performance.md explains and measures all of it.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.kernels.calls import fill, matching, module, nonzero_weights, plain, set_threads, threads
from holdfast.kernels.linear_models import Dealt, Draw, full_round, losses, saga_round, scores, worker_round
from holdfast.kernels.row_pairs import (
    below_every_row,
    inner_products,
    largest_crowd,
    least_diameter,
    least_eigenvalue,
    sampled_distances,
    squared_distances,
    weiszfeld,
)
from holdfast.kernels.sorting_networks import moves
from holdfast.typing import Rows, Vector, Workers

SOFTMAX, LOGISTIC, LEAST_SQUARES = 0, 1, 2
"""The compiled losses, as `sources/linear_losses.py` numbers them."""
WRITTEN_OUT = 32
"""Rows up to which a sorting network is written out; beyond, compiling it would take too long."""
WORTH_WRITING = 1 << 16
"""Numbers to go through from which on a network is compiled for one choice of ranks where a table would do."""


def mean(rows: Rows) -> Vector:
    """Return the mean of the rows, added in their order, as `rows.mean(axis=0)` does for contiguous rows."""
    rows = plain(rows)
    return fill(module("column_sums").mean, (rows,), np.empty(rows.shape[1], rows.dtype), rows.size)


def combination(weights: Vector, rows: Rows) -> Vector:
    """Return `weights @ rows`, not reading rows without weight: they may hold anything."""
    rows = plain(rows)
    given, chosen = nonzero_weights(len(rows), weights)
    used, out = given.astype(rows.dtype), np.empty(rows.shape[1], rows.dtype)
    return fill(module("column_sums").combination, (used, chosen, rows), out, rows.size)


def mixtures(weights: Rows, rows: Rows) -> Rows:
    """Return `weights @ rows`, a `combination` for each row of the weights, reading the rows about once."""
    rows = plain(rows)
    if weights.shape[1:] != rows.shape[:1]:
        raise InvalidInput(f"weights must be one per row, {rows.shape[:1]}; got {weights.shape[1:]}")
    used = plain(weights) != 0
    chosen = np.argsort(~used, axis=1, kind="stable")  # those with weight first, in their order
    given = np.take_along_axis(weights, chosen, axis=1).astype(rows.dtype)
    out = np.empty((len(weights), rows.shape[1]), rows.dtype)
    return fill(module("column_sums").mixtures, (given, chosen, used.sum(axis=1), rows), out, rows.size)


def sign_sum(model: Vector, rows: Rows, weights: Vector | None = None) -> Vector:
    """Return the sum over the rows of sign(model - row), each times its weight; exact without weights. NaN adds 0."""
    rows, model = plain(rows), matching(model, rows)
    given, chosen = nonzero_weights(len(rows), weights)
    used = given.astype(rows.dtype)
    return fill(module("column_sums").sign_sum, (model, used, chosen, rows), np.empty_like(model), rows.size)


def mean_of_ranks(rows: Rows, wanted: range) -> Vector:
    """Sort every column, NaN as +infinity, and return the mean of these of its entries."""
    from holdfast.kernels.loading import ranks_kernel

    rows = plain(rows)
    n, d = rows.shape
    if not wanted or min(wanted) < 0 or max(wanted) >= n:
        raise InvalidInput(f"ranks must be some of 0 to {n - 1}; got {wanted}")
    out = np.empty(d, rows.dtype)
    if n <= WRITTEN_OUT:
        return fill(ranks_kernel(n, wanted).mean_of_ranks, (rows,), out, rows.size)
    made, lines = map(np.array, moves(n, wanted))
    return fill(module("sorting").mean_of_ranks, (rows, made, lines), out, rows.size)


def mean_nearest(rows: Rows, chosen: NDArray[np.int64], middle: range, nearest: int) -> Vector:
    """Sort every column of the chosen rows, NaN as +infinity; return the mean of the entries nearest to a centre.

    The centre is the mean of the ranks `middle`; of the entries the `nearest` nearest count, of two as near the lower.
    """
    from holdfast.kernels.loading import nearest_kernel

    rows = plain(rows)
    n, d = len(chosen), rows.shape[1]
    if not n or min(chosen) < 0 or max(chosen) >= len(rows):
        raise InvalidInput(f"chosen rows must be some of 0 to {len(rows) - 1}; got {chosen}")
    if not middle or min(middle) < 0 or max(middle) >= n or not 1 <= nearest <= n:
        raise InvalidInput(f"ranks must be some of 0 to {n - 1}, and 1 to {n} be nearest; got {middle} and {nearest}")
    out = np.empty(d, rows.dtype)
    if n <= WRITTEN_OUT and n * d >= WORTH_WRITING:
        return fill(nearest_kernel(n, middle, nearest).mean_nearest, (rows, chosen), out, n * d)
    given = (rows, chosen, *_every_rank(n), middle.start, middle.stop, nearest)
    return fill(module("nearest").mean_nearest, given, out, n * d)


@lru_cache
def _every_rank(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the moves that sort n rows, and where the ranks are after them."""
    made, lines = moves(n, range(n))
    return np.array(made, np.int64).reshape(-1, 4), np.array(lines)


def lengths(rows: Rows) -> Vector:
    """Return the Euclidean length of every row in float64; infinite where it has NaN or its square overflows."""
    rows = plain(rows)
    return fill(module("row_lengths").lengths, (rows,), np.empty(len(rows)), rows.size, by_rows=True)


def normals(key: int, workers: Workers, round: int, count: int) -> NDArray[np.float64]:
    """Return the standard normal values of `Stream.normals`."""
    out = np.empty((len(workers), count))
    module("draws").normals(np.uint64(key), plain(workers), round, plain(out))
    return out


def bit_width(d: int) -> int:
    """Return the bytes of a message of d bits: whole words, so that it can be counted by words."""
    return (d + 63) // 64 * 8


def pack_bits(model: Vector, rows: Rows, coins: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return on which side of each row the model stands, one bit per coordinate, as `(n, bit_width(d))` bytes.

    Set where model > row; on a tie the bit of the coins, which have the shape of the result, decides.
    """
    rows, model = plain(rows), matching(model, rows)
    out = np.empty((len(rows), bit_width(len(model))), np.uint8)
    if coins.shape != out.shape:
        raise InvalidInput(f"coins must have shape {out.shape}; got {coins.shape}")
    module("bits").pack(model, rows, coins, out)
    return out


def toss_bits(model: Vector, rows: Rows, key: int, workers: Workers, round: int) -> NDArray[np.uint8]:
    """Return `pack_bits` whose coins are the words of the stream with this key, of these workers and this round."""
    rows, model = plain(rows), matching(model, rows)
    if workers.shape != rows.shape[:1]:
        raise InvalidInput(f"workers must be one per row, {rows.shape[:1]}; got {workers.shape}")
    workers = plain(workers)
    out = np.empty((len(rows), bit_width(len(model))), np.uint8)
    words = np.empty(out.shape[1] // 8, np.uint64)
    module("bits").toss(model, rows, np.uint64(key), workers, round, words, words.view(np.uint8), out)
    return out


def differing_bits(some: NDArray[np.uint64], others: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
    """Return how many bits differ between each row of words and each of the others, `(n, k)`; or between all pairs."""
    if others is None:
        out = np.empty((len(some), len(some)), np.int64)
        module("bits").differ_in_pairs(plain(some), out)
        return out
    if some.shape[1] != others.shape[1]:
        raise InvalidInput(f"rows of bits must have {some.shape[1]} words each; got {others.shape[1]}")
    out = np.empty((len(some), len(others)), np.int64)
    module("bits").differ(plain(some), plain(others), out)
    return out


def count_bits(messages: NDArray[np.uint8], d: int) -> NDArray[np.uint8]:
    """Return for each of d coordinates how many of these messages, at most 255, have its bit set."""
    messages = plain(messages)
    n, width = messages.shape
    if n > 255:
        raise InvalidInput(f"bits are counted in bytes, at most 255 messages at a time; got {n}")
    if width != bit_width(d):
        raise InvalidInput(f"a message of {d} bits must have {bit_width(d)} bytes; got {width}")
    out = np.empty((8, width), np.uint8)
    module("bits").count(messages.view(np.uint64), out.view(np.uint64))
    return out.reshape(-1)[:d]


def weigh_bits(messages: NDArray[np.uint8], weights: Vector, d: int) -> Vector:
    """Return for each of d coordinates the weights of the messages that have its bit set, less those of the others.

    That is `sign_sum` of rows with these bits, to the last bit, in the weights' type. Messages without weight are not
    read.
    """
    messages = plain(messages)
    if messages.shape[1] != bit_width(d):
        raise InvalidInput(f"a message of {d} bits must have {bit_width(d)} bytes; got {messages.shape[1]}")
    used, chosen = nonzero_weights(len(messages), weights)
    out = np.empty(d, weights.dtype)
    module("bits").weigh(used, chosen, messages, out)
    return out
