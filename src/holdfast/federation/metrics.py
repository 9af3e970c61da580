"""What nodes report of themselves: numbers that anyone may make up."""

from collections.abc import Iterable, Mapping
from math import isfinite
from statistics import median
from typing import Any


def medians(reported: Iterable[Mapping[str, Any]], without: str = "") -> dict[str, float]:
    """Return the median of every number that more than half of the nodes report.

    A count of samples is no weight here, so `without` leaves it out. While most nodes are honest, every result lies
    between two honest numbers, and none has a name that they do not use.

    >>> medians([{"loss": 1.0}, {"loss": 2.0}, {"loss": 1e9}, {"made-up": 3.0, "loss": float("nan")}])
    {'loss': 2.0}
    """
    records = list(reported)
    values: dict[str, list[float]] = {}
    for record in records:
        for name, value in record.items():
            if name != without and isinstance(value, int | float) and isfinite(value):
                values.setdefault(name, []).append(float(value))
    return {name: median(found) for name, found in values.items() if 2 * len(found) > len(records)}
