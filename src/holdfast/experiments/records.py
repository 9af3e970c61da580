"""What is kept of a run: all that charts and claims need, in one JSON file that reads back equal."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
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
        """The time of one round, without evaluations."""
        return 1000 * self.seconds / self.rounds

    @staticmethod
    def of(result: Result) -> "Record":
        """Return what is kept of a result."""
        kept = {field.name: getattr(result, field.name) for field in fields(Record)}
        return Record(**kept | {"history": tuple(result.history)})

    def to_json(self) -> dict[str, Any]:
        """Return the record as strict JSON has it."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return plain | {"spec": self.spec.to_json(), "history": [asdict(each) for each in self.history]}

    @staticmethod
    def of_json(values: Mapping[str, Any], spec: Spec) -> "Record":
        """Return the record that these values describe, if they are of this spec.

        >>> import json
        >>> from holdfast.experiments import run
        >>> record = Record.of(run(Spec(data="digits", rounds=2, method="rsa:norm=inf")))
        >>> text = json.dumps(record.to_json(), allow_nan=False)
        >>> Record.of_json(json.loads(text), record.spec) == record
        True
        """
        if values["spec"] != spec.to_json():
            raise ValueError("it is of another spec")
        history = tuple(Evaluation(**line) for line in values["history"])
        return Record(**{**values, "spec": spec, "history": history})
