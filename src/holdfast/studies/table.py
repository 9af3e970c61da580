"""Results beside each other: by partition, by attack and whatever else was varied, and by method."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from io import StringIO
from math import sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from holdfast.attacks import Attack
from holdfast.data import Partition
from holdfast.methods import Method, method_labels, method_text
from holdfast.runs.metrics import FIELDS, METRICS, Evaluation
from holdfast.runs.records import Record, frame, load_report
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, model_text
from holdfast.runs.verdicts import Score
from holdfast.studies.intervals import differ
from holdfast.typing import Json


@dataclass(frozen=True, repr=False, kw_only=True)
class Cell(Record):
    """The mean of some runs: it reads as a run does, and ended well if all of them did."""

    runs: tuple[Record, ...]
    errors: tuple[Evaluation, ...] = ()
    """The standard error of each evaluation's numbers, where there are several runs."""

    @property
    def error(self) -> Evaluation | None:
        """The standard errors of the final numbers."""
        return self.errors[-1] if self.errors and self.last else None

    @property
    def trouble(self) -> str:
        """How many of the runs failed or diverged, in a few words; nothing if none did."""
        counts = {
            "failed": sum(run.failed is not None for run in self.runs),
            "diverged": sum(run.diverged is not None for run in self.runs),
        }
        return ", ".join(
            what if count == len(self.runs) else f"{count} of {len(self.runs)} {what}"
            for what, count in counts.items()
            if count
        )

    def is_level(self, other: "Cell", score: Score) -> bool:
        """Return whether several seeds that both have played do not tell the two apart."""
        mine, theirs = self._by_seed(score), other._by_seed(score)
        seeds = [seed for seed in mine if seed in theirs]
        return len(seeds) > 1 and not differ([mine[seed] for seed in seeds], [theirs[seed] for seed in seeds])

    def _by_seed(self, score: Score) -> dict[int, float]:
        return {run.spec.seed: value for run in self.runs if (value := score.of(run.last)) is not None}

    @staticmethod
    def mean(runs: Sequence[Record]) -> "Cell":
        """Return the cell of these runs; of one run, its own numbers."""
        first = runs[0]
        common = {point.round for point in first.history}.intersection(
            *({point.round for point in run.history} for run in runs)
        )
        points = [[point for point in run.history if point.round in common] for run in runs]
        together = list(zip(*points, strict=True))
        several = len(runs) > 1
        ceilings = [run.ceiling for run in runs if run.ceiling is not None]
        guesses = [run.guessing for run in runs if run.guessing is not None]
        return Cell(
            spec=first.spec,
            history=[_each(beside, fmean) for beside in together] if several else first.history,
            rounds=min(run.rounds for run in runs),
            diverged=min((run.diverged for run in runs if run.diverged is not None), default=None),
            ceiling=fmean(ceilings) if ceilings else None,
            guessing=fmean(guesses) if guesses else None,
            seconds=fmean(run.seconds for run in runs),
            evaluation_seconds=fmean(run.evaluation_seconds for run in runs),
            bytes_up=first.bytes_up,
            bytes_down=first.bytes_down,
            absent=sum(run.absent for run in runs),
            personal=None if several else first.personal,
            failed=next((run.failed for run in runs if run.failed is not None), None),
            runs=tuple(runs),
            errors=tuple(_each(beside, _standard_error) for beside in together) if several else (),
        )


def _standard_error(values: Sequence[float]) -> float:
    return stdev(values) / sqrt(len(values))


def _each(evaluations: Sequence[Evaluation], number: Callable[[list[float]], float]) -> Evaluation:
    """Return an evaluation with this number of every measure that all of them have."""
    values = [each.values for each in evaluations]
    names = [name for name in values[0] if all(name in each for each in values)]
    means = {name: number([each[name] for each in values]) for name in names}
    return Evaluation.of_values(evaluations[0].round, means)


Grouped = dict[str, dict[str, dict[str, Cell]]]
PLACED = ("method", "attack", "partition", "seed")
"""What has a place of its own in a table: the column, the row, the table; seeds are averaged over."""


class Place(NamedTuple):
    """Where a result stands in the tables."""

    partition: str
    row: str
    method: str
    varied: tuple[tuple[str, str], ...]
    """What else tells the row from others of its attack."""


@dataclass(frozen=True)
class Comparison(Sequence[Any]):
    """What `compare` returns: the results in the order of the specs, and the tables that they make.

    Each is a `Result`, but for those that were kept in a store or failed: these are a `Record`, without a model.

    >>> from holdfast.studies.comparison import compare
    >>> from holdfast.studies.study import grid
    >>> base = Spec(data="digits", workers=5, rounds=4)
    >>> found = compare(grid(base, ["rsa", "median"], ["none"], ["iid"], seed=[0, 1]), jobs=1)
    >>> found
    Comparison(4 runs: rsa, median)
    >>> [(row["method"], row["seeds"]) for row in found.rows()]
    [('rsa', [0, 1]), ('median', [0, 1])]
    """

    asked: tuple[Spec, ...]
    """The specs as they were given: what is left open there does not tell methods apart."""
    runs: tuple[Record, ...]

    @staticmethod
    def of(results: Sequence[Record]) -> "Comparison":
        """Return results as a comparison, which they may be already."""
        if isinstance(results, Comparison):
            return results
        # inferred numbers differ between attacks, and do not tell methods apart
        return Comparison(tuple(result.original_spec for result in results), tuple(results))

    def __getitem__(self, index: Any) -> Any:
        return self.runs[index]

    def __len__(self) -> int:
        return len(self.runs)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where each result stands."""
        return tuple(_places(self.asked))

    def names(self) -> dict[Spec, str]:
        """Return what each run is called in one line, by its spec as it was given."""
        seeds = len({spec.seed for spec in self.asked}) > 1
        return {
            spec: f"{place.partition}  {place.row}  {place.method}" + (f"  seed {spec.seed}" if seeds else "")
            for place, spec in zip(self.places, self.asked, strict=True)
        }

    @cached_property
    def tables(self) -> Grouped:
        """The results by partition, row and method; those that differ in their seed only are one cell."""
        groups: dict[str, dict[str, dict[str, list[Record]]]] = {}
        for place, run in zip(self.places, self.runs, strict=True):
            rows = groups.setdefault(place.partition, {})
            rows.setdefault(place.row, {}).setdefault(place.method, []).append(run)
        return {
            partition: {row: {method: Cell.mean(runs) for method, runs in cells.items()} for row, cells in rows.items()}
            for partition, rows in groups.items()
        }

    def rows(self) -> list[Json]:
        """Return one row per cell: what it is of, the mean of each final number, and its standard error."""
        places = dict.fromkeys(zip(self.places, (spec.attack_text for spec in self.asked), strict=True))
        return [
            {"partition": place.partition, "attack": attack, **dict(place.varied), "method": place.method}
            | _numbers(self.tables[place.partition][place.row][place.method])
            for place, attack in places
        ]

    def evaluations(self) -> list[Json]:
        """Return one row per run and evaluation."""
        return list_evaluations(zip(self.asked, self.runs, strict=True))

    def frame(self) -> Any:
        """Return the rows as a pandas DataFrame."""
        return frame(self.rows())

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(place.method for place in self.places))
        return f"Comparison({len(self)} runs: {methods})"

    def __str__(self) -> str:
        text: str = load_report("comparison_tables", "text")(self)
        return text

    def _repr_html_(self) -> str:
        html: str = load_report("comparison_page", "html")(self)
        return html

    def plot(self) -> Any:
        """Return the curves as an altair chart: accuracy over rounds, one panel per row, one line per method."""
        return load_report("comparison_page", "plot")(self)


def list_evaluations(runs: Iterable[tuple[Spec, Record]]) -> list[Json]:
    """Return the table of a study: one row per run and evaluation, each with what was asked and every metric.

    A run without an evaluation has one row, which says why.
    """
    rows: list[Json] = []
    for asked, run in runs:
        about = {
            "data": data_text(asked.data),
            "model": model_text(asked.model),
            "partition": asked.partition_text,
            "attack": asked.attack_text,
            "byzantine": asked.q,
            "declared": run.spec.declared,
            "method": method_text(run.spec.method),
            "rate": run.spec.rate,
            "seed": asked.seed,
        }
        end = {"guessing": run.guessing, "ceiling": run.ceiling, "diverged": run.diverged, "failed": run.failed}
        measured = [{"round": each.round} | each.values for each in run.history] or [{"round": run.rounds}]
        rows += [about | each | end for each in measured]
    return rows


def format_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV: one column per key, empty where a row has none."""
    text = StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _places(asked: Sequence[Spec]) -> Iterator[Place]:
    labels = {
        partition: method_labels(spec.method for spec in asked if spec.partition == partition)
        for partition in dict.fromkeys(spec.partition for spec in asked)
    }
    varied = _find_varied(asked)
    for spec in asked:
        varied_here = tuple((name, _text(spec, name)) for name in varied[spec.partition, spec.attack])
        row = ", ".join([spec.attack_text, *(f"{name} {text}" for name, text in varied_here)])
        yield Place(spec.partition_text, row, labels[spec.partition][spec.method], varied_here)


def _find_varied(asked: Sequence[Spec]) -> Mapping[tuple[Partition, Attack | None], list[str]]:
    """Return, for each partition and attack, the other fields of which one method was given several values."""
    alike: dict[tuple[Partition, Attack | None], dict[Method, list[Spec]]] = {}
    for spec in asked:
        alike.setdefault((spec.partition, spec.attack), {}).setdefault(spec.method, []).append(spec)
    names = [option.name for option in fields(Spec) if option.name not in PLACED]
    return {
        place: [
            name
            for name in names
            if any(len({_text(spec, name) for spec in specs}) > 1 for specs in by_method.values())
        ]
        for place, by_method in alike.items()
    }


def _text(spec: Spec, name: str) -> str:
    value = getattr(spec, name)
    if name == "data":
        return data_text(value)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _numbers(cell: Cell) -> Json:
    last, error = cell.last, cell.error
    numbers: dict[str, float | None] = dict.fromkeys((*FIELDS, *METRICS)) | (last.values if last else {})
    errors = {} if error is None else error.values
    return {
        key: value
        for name, number in numbers.items()
        for key, value in ((name, number), (f"{name}_error", errors.get(name)))
    } | {
        "seeds": [run.spec.seed for run in cell.runs],
        "diverged": sum(run.diverged is not None for run in cell.runs),
        "failed": sum(run.failed is not None for run in cell.runs),
        "guessing": cell.guessing,
        "ceiling": cell.ceiling,
        "guesses": cell.guesses,
    }
