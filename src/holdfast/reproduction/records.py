"""What is kept of a run: all that charts and claims need, in one JSON file that reads back equal."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isinf
from typing import Any

from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec


@dataclass(frozen=True)
class Record:
    """How a run went, without its model."""

    spec: Spec
    history: tuple[Evaluation, ...]
    rounds: int
    diverged: int | None
    ceiling: float | None
    seconds: float
    """Spent on rounds, without evaluations."""
    evaluation_seconds: float

    @property
    def last(self) -> Evaluation | None:
        """The final evaluation, unless the run diverged."""
        return self.history[-1] if self.history and self.diverged is None else None

    @property
    def accuracy(self) -> float:
        """The final test accuracy; of a run that diverged, 0."""
        return self.last.accuracy or 0.0 if self.last else 0.0

    @property
    def milliseconds(self) -> float:
        """The time of one round, evaluations apart."""
        return 1000 * self.seconds / self.rounds

    @staticmethod
    def of(result: Result) -> "Record":
        """Return what is kept of a result."""
        return Record(
            spec=result.spec,
            history=tuple(result.history),
            rounds=result.rounds,
            diverged=result.diverged,
            ceiling=result.ceiling,
            seconds=result.seconds,
            evaluation_seconds=result.evaluation_seconds,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record as strict JSON has it; an infinite norm becomes a text, which a spec reads as well."""
        infinite = {"norm": "inf"} if isinf(self.spec.norm) else {}
        return asdict(self) | {"spec": asdict(self.spec) | infinite}

    @staticmethod
    def of_json(values: Mapping[str, Any]) -> "Record":
        """Return the record that these values describe.

        >>> import json
        >>> from holdfast.experiments import run
        >>> record = Record.of(run(Spec(data="digits", rounds=2, norm=float("inf"))))
        >>> Record.of_json(json.loads(json.dumps(record.to_json(), allow_nan=False))) == record
        True
        """
        history = tuple(Evaluation(**line) for line in values["history"])
        return Record(**{**values, "spec": Spec.of(values["spec"]), "history": history})
