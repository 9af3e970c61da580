"""Results grouped the way people compare them: by setting, then by method."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec

Grouped = dict[str, dict[str, dict[str, Result]]]


def grouped(results: Iterable[Result]) -> Grouped:
    """Return the results by partition, attack and method, each in order of appearance."""
    groups: Grouped = {}
    for result in results:
        spec = result.spec
        groups.setdefault(spec.partition, {}).setdefault(spec.attack, {})[spec.method] = result
    return groups


def heading(results: Sequence[Result]) -> str:
    """Return what all these results have in common, in one line."""
    spec = results[0].spec
    byzantine = max(result.spec.byzantine for result in results)
    workers = f"{spec.workers} workers, {byzantine} of them Byzantine under attack"
    return f"{spec.data}, {spec.partition}: {workers}, {spec.rounds} rounds"


def reachable(by_method: Mapping[str, Result]) -> float | None:
    """Return the best accuracy that the honest workers' data allow, where methods are attacked."""
    return min((result.ceiling for result in by_method.values() if result.ceiling is not None), default=None)


def setting(spec: Spec) -> str:
    """Return how a spec is set up, as flags that are not the same for every method."""
    rsa = f"--norm {spec.norm:g} --penalty {spec.penalty:g} " if spec.method.endswith("rsa") else ""
    if rsa and spec.messages == "bits":
        rsa += "--messages bits "
    if rsa and spec.local_steps > 1:
        rsa += f"--local-steps {spec.local_steps} (beyond the theorems, which are about 1) "
    rate = f"--schedule {spec.schedule}" if spec.rate is None else f"--rate {spec.rate:g}"
    return f"{rsa}{rate}"


def traffic(result: Result) -> str:
    """Return what a worker sends and receives in a round."""
    return f"{result.bytes_up:,} bytes up, {result.bytes_down:,} down"
