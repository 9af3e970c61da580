"""The rules behind Flower's strategies, on messages that are already unpacked."""

from collections.abc import Callable
from typing import Any

from flwr.server.strategy.aggregate import (
    aggregate,
    aggregate_bulyan,
    aggregate_krum,
    aggregate_median,
    aggregate_trimmed_avg,
)

from benchmarks.contestants.ways import Way
from benchmarks.inputs import BYZANTINE, Inputs


def _layer(given: Inputs, layers: Any) -> Any:
    return layers[0]


RULES = {
    "mean": [Way(lambda given: aggregate(given.results), read=_layer)],
    "median": [Way(lambda given: aggregate_median(given.results), read=_layer)],
    "trimmed mean": [Way(lambda given: aggregate_trimmed_avg(given.results, BYZANTINE), read=_layer)],
    "Krum": [Way(lambda given: aggregate_krum(given.results, given.byzantine, to_keep=0), read=_layer)],
}

MEMBERS = {
    "mean": lambda results, f: aggregate(results),
    "median": lambda results, f: aggregate_median(results),
    "trimmed-mean": lambda results, f: aggregate_trimmed_avg(results, f / len(results)),
    "krum": lambda results, f: aggregate_krum(results, f, 0),
    "multi-krum": lambda results, f: aggregate_krum(results, f, len(results) - f),
    "bulyan": lambda results, f: aggregate_bulyan(list(results), f, aggregate_krum, to_keep=0),  # it empties the list
}
"""What it has of our registry, told f liars."""


def member(name: str, f: int, given: Inputs) -> list[Callable[[], Any]]:
    """Return the ways to call its member of this name."""
    return [lambda: MEMBERS[name](given.results, f)] if name in MEMBERS else []
