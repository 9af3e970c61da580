"""What no program on this machine can beat: reading the messages once, multiplying at the rate of a large product."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.timing import typical

Rows = NDArray[np.float32]


@njit(cache=True, nogil=True, fastmath=True)
def read_once(rows: Rows) -> float:
    """Return the sum of all numbers, added in any order: as fast as memory delivers them.

    In four streams, a quarter of the numbers each: one stream alone leaves a quarter of the memory's speed unused.
    """
    numbers = rows.reshape(-1)
    n = len(numbers) // 4
    a, b, c, d = numbers[:n], numbers[n : 2 * n], numbers[2 * n : 3 * n], numbers[3 * n : 4 * n]
    total = numbers.dtype.type(0)
    for j in range(n):
        total += (a[j] + b[j]) + (c[j] + d[j])
    for j in range(4 * n, len(numbers)):
        total += numbers[j]
    return total


def read_in_threads(rows: Rows, pool: ThreadPoolExecutor, threads: int) -> float:
    """Return the same sum, the rows shared out to threads."""
    return sum(pool.map(read_once, np.array_split(rows, threads)))


def flops_a_second(size: int = 1024) -> float:
    """Return the rate of a float32 matrix product."""
    a = np.ones((size, size), np.float32)
    return 2 * size**3 / typical(lambda: a @ a, budget=0.0, least=3)
