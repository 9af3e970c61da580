"""Seconds of a call."""

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any


def once(call: Callable[[], Any], clock: Callable[[], float] = perf_counter) -> tuple[float, Any]:
    """Return how long one call took by this clock, and what it returned."""
    begun = clock()
    result = call()
    return clock() - begun, result


def typical(call: Callable[[], Any], budget: float = 0.4, least: int = 3) -> float:
    """Return the median time of some calls, as many as the budget of seconds allows but `least` at least."""
    return in_turns({"": call}, budget, least)[""]


def in_turns(
    calls: Mapping[str, Callable[[], Any]],
    budget: float = 0.4,
    least: int = 3,
    warm: bool = False,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Return the median time of each call, made in turns: what slows the machine down meets all alike.

    If `warm`, each is timed right after an untimed call: the caches hold what it needs, not the others' data.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    begun, rounds = perf_counter(), 0
    while rounds < least or perf_counter() - begun < budget:
        for name, call in calls.items():
            if warm:
                call()
            times[name].append(once(call, clock)[0])
        rounds += 1
    return {name: median(some) for name, some in times.items()}
