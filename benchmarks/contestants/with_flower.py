"""The rules behind Flower's strategies, on messages that are already unpacked."""

from typing import Any

from flwr.server.strategy.aggregate import aggregate, aggregate_krum, aggregate_median, aggregate_trimmed_avg

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
