"""Results grouped the way people compare them: by setting, then by method."""

from collections.abc import Mapping, Sequence

from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec, data_text
from holdfast.methods import Method, method_labels, method_text

Grouped = dict[str, dict[str, dict[str, Result]]]


def grouped(results: Sequence[Result]) -> Grouped:
    """Return the results by partition, attack and label of the method, each in order of appearance."""
    groups: Grouped = {}
    for label, result in zip(labels(results), results, strict=True):
        spec = result.spec
        groups.setdefault(spec.partition_text, {}).setdefault(spec.attack_text, {})[label] = result
    return groups


def labels(results: Sequence[Result]) -> list[str]:
    """Return what each result's method is called beside the others of its partition."""
    partitions = dict.fromkeys(result.spec.partition for result in results)
    beside = {
        partition: method_labels(_asked(result) for result in results if result.spec.partition == partition)
        for partition in partitions
    }
    return [beside[result.spec.partition][_asked(result)] for result in results]


def _asked(result: Result) -> Method:
    """Return the method as it was asked for: numbers that a rule finds differ from attack to attack."""
    return (result.asked or result.spec).method


def heading(results: Sequence[Result]) -> str:
    """Return what all these results have in common, in one line."""
    spec = results[0].spec
    byzantine = max(result.spec.q for result in results)
    workers = f"{spec.workers} workers, {byzantine} of them Byzantine under attack"
    return f"{data_text(spec.data)}, {spec.partition_text}: {workers}, {spec.rounds} rounds"


def reachable(by_method: Mapping[str, Result]) -> float | None:
    """Return the best accuracy that the honest workers' data allow, where methods are attacked."""
    return min((result.ceiling for result in by_method.values() if result.ceiling is not None), default=None)


def setting(spec: Spec) -> str:
    """Return how a spec is set up, as flags that are not the same for every method."""
    rate = f"--schedule {spec.schedule}" if spec.rate is None else f"--rate {spec.rate:g}"
    return f"--method {method_text(spec.method)} {rate}"


def traffic(result: Result) -> str:
    """Return what a worker sends and receives in a round."""
    return f"{result.bytes_up:,} bytes up, {result.bytes_down:,} down"
