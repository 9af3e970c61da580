"""Results grouped the way people compare them: by setting, then by method."""

from collections.abc import Iterable, Mapping, Sequence

from holdfast.methods import method_text
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_name
from holdfast.runs.verdicts import score_of
from holdfast.studies.table import Cell, Comparison, Grouped


def grouped(results: Sequence[Record]) -> Grouped:
    """Return the results by partition, attack and label of the method, each in order of appearance."""
    return Comparison.of(results).tables


def labels(results: Sequence[Record]) -> list[str]:
    """Return what each result's method is called beside the others of its partition."""
    return [place.method for place in Comparison.of(results).places]


def heading(results: Sequence[Record]) -> str:
    """Return what all these results have in common, in one line."""
    specs = [result.spec for result in results]
    counts = sorted({spec.q for spec in specs if spec.attack is not None})
    attacked = f"{' or '.join(map(str, counts)) or 0} of them Byzantine under attack"
    score = score_of(results)
    seeds = max((len(result.runs) for result in results if isinstance(result, Cell)), default=1)
    return (
        f"{_all(data_name(spec.data) for spec in specs)}, {specs[0].partition_text}: "
        f"{_all(spec.workers for spec in specs)} workers, {attacked}, {_all(spec.rounds for spec in specs)} rounds"
        + ("" if score.name == "accuracy" else f", {score.title}")
        + (f", mean of {seeds} seeds ± standard error" if seeds > 1 else "")
    )


def _all(values: Iterable[object]) -> str:
    return " or ".join(dict.fromkeys(map(str, values)))


def reachable(by_method: Mapping[str, Record]) -> float | None:
    """Return the best accuracy that the honest workers' data allow, where methods are attacked."""
    return min((result.ceiling for result in by_method.values() if result.ceiling is not None), default=None)


def setting(spec: Spec) -> str:
    """Return how a spec is set up, as flags that are not the same for every method."""
    rate = f"--schedule {spec.schedule}" if spec.rate is None else f"--rate {spec.rate:g}"
    return f"--method {method_text(spec.method)} {rate}"


def traffic(result: Record) -> str:
    """Return what a worker sends and receives in a round."""
    return f"{result.bytes_up:,} bytes up, {result.bytes_down:,} down"
