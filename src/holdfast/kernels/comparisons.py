"""Compiled comparisons of workers: sides, differences and judgement. `holdfast.watching` calls them."""

import numpy as np
from numpy.typing import NDArray

from holdfast.kernels.calls import matching, module, plain
from holdfast.typing import Rows, Vector, Workers

Words = NDArray[np.uint64]
"""Sides as bits, a row per message."""
Shares = NDArray[np.float64]
"""Shares of coordinates, of shape `(n,)` or `(n, k)`."""
Counts = NDArray[np.int64]
"""Of shape `(n,)` or `(n, k)`."""


def sides(rows: Rows, neutral: Vector) -> Words:
    """Return two bits for each coordinate of each row: whether it is above `neutral`, and whether below."""
    rows, neutral = plain(rows), matching(neutral, rows)
    words = np.empty((len(rows), 2 * ((len(neutral) + 63) // 64)), np.uint64)
    module("side_bits").pack_sides(rows, neutral, words.view(np.uint8))
    return words


def find_ties(model: Vector, rows: Rows) -> Counts:
    """Return the places, counted row by row, of the entries that are equal to the model's or NaN."""
    rows, model = plain(rows), matching(model, rows)
    found: Counts = module("side_bits").find_ties(model, rows)
    return found


def count_attendance(
    weights: Shares, workers: Workers, rounds: Counts, left_out: Counts
) -> tuple[Counts, Counts] | None:
    """Return in how many rounds each worker was present, and left out, after one more round of these workers.

    None if one of these workers has no entry yet.
    """
    if not len(weights):
        return None
    rounds, left_out = rounds.copy(), left_out.copy()
    room = module("watching").attend(plain(weights), plain(workers), rounds, left_out)
    return (rounds, left_out) if room else None


def remember(
    found: Shares, workers: Workers, others: Workers, compared: Workers, least: float, shares: Shares, times: Counts
) -> tuple[Shares, Counts]:
    """Return the remembered shares after one more comparison, and how often each pair was compared.

    found[i, j] is the difference of worker `workers[i]` from `others[j]`, one of those compared. The n-th comparison of
    a pair moves its share by 1/n of the way, and never by less than `least`.
    """
    shares, times = shares.copy(), times.copy()
    pairs = plain(found), plain(workers), plain(others), plain(compared)
    module("watching").remember(*pairs, least, shares, times)
    return shares, times


def judge(
    shares: Shares,
    times: Counts,
    compared: Workers,
    judgements: int,
    constants: tuple[float, float, float, float, float, float, float],
) -> tuple[Shares, Workers, Shares, float] | None:
    """Return each worker's weight, voice and difference from the workers that stay; and the exclusion threshold.

    None if fewer than three workers were compared often enough. The constants are `near`, the quantile, the weight of
    copies together, `ratio`, the margin, and from which difference on `apart` stands for `ratio`.
    """
    n = len(shares)
    weights, voices, difference = np.ones(n), np.arange(1, n + 1), np.zeros(n)
    pairs, filled = (plain(shares), plain(times), plain(compared)), (weights, voices, difference)
    limit = module("watching").judge(*pairs, judgements, constants, *filled)
    return None if limit < 0 else (weights, voices, difference, limit)
