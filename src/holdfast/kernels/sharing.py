"""Threads for large inputs, and one setting for how many: `HOLDFAST_THREADS` or `set_threads`."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from holdfast.errors import InvalidInput

LARGE = 1 << 22
"""Numbers to go through below which one thread is faster than sharing."""

_chosen: int | None = None


def threads() -> int:
    """Return how many threads a large input may use: what was set, else one a core."""
    if _chosen is not None:
        return _chosen
    given = os.environ.get("HOLDFAST_THREADS", "")
    if given and not (given.isdecimal() and int(given) >= 1):
        raise InvalidInput(f"HOLDFAST_THREADS must be a whole number of at least 1; got {given!r}")
    return int(given) if given else os.cpu_count() or 1


def set_threads(number: int) -> None:
    """Let large inputs use this many threads; 1 where processes already fill the cores."""
    global _chosen  # noqa: PLW0603
    if number < 1:
        raise InvalidInput(f"threads must be at least 1; got {number}")
    _chosen = number


def share(work: Callable[[int, int], None], items: int, numbers: int, grain: int = 64) -> None:
    """Call `work(first, last)` on spans that cover all items, cut at multiples of `grain`.

    In threads, if there are many numbers to go through; the work must let go of the interpreter's lock.
    """
    workers = threads() if numbers >= LARGE else 1
    if workers == 1:
        work(0, items)
        return
    cuts = [items * k // workers // grain * grain for k in range(workers)] + [items]
    list(_pool(workers).map(work, cuts[:-1], cuts[1:]))


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="holdfast")


if hasattr(os, "register_at_fork"):  # Windows does not fork; elsewhere the pool would wait for threads left behind
    os.register_at_fork(after_in_child=_pool.cache_clear)
