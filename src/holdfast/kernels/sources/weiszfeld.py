"""Weiszfeld's iteration on the inner products of the rows."""

import numpy as np
from numba import njit

TINY = 2.2250738585072014e-308


@njit(cache=True, nogil=True, error_model="numpy")
def descend(G, w, tolerance, limit):
    """Move the weights w to those of the geometric median; return how many steps that took, or -1 past the limit."""
    n = len(w)
    inner, to_rows, moved = np.empty(n), np.empty(n), np.empty(n)
    for iteration in range(1, limit + 1):
        square = 0.0
        for i in range(n):
            row, total = G[i], 0.0
            for j in range(n):
                total += row[j] * w[j]
            inner[i] = total
            square += w[i] * total
        pull = 0.0
        for i in range(n):
            to_rows[i] = np.sqrt(max(square - 2.0 * inner[i] + G[i, i], TINY))
            pull += 1.0 / to_rows[i]
        for i in range(n):
            moved[i] = 1.0 / to_rows[i] / pull
        step = 0.0
        for i in range(n):
            row, total = G[i], 0.0
            for j in range(n):
                total += row[j] * (moved[j] - w[j])
            step += (moved[i] - w[i]) * total
        w[:] = moved
        if step <= (tolerance * np.median(to_rows)) ** 2:
            return iteration
    return -1
