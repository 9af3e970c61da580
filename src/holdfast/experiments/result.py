"""What a run leaves behind."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.records import Record
from holdfast.typing import Vector


@dataclass(frozen=True, repr=False, kw_only=True)
class Result(Record):
    """How a run ended, with the model that was learnt."""

    history: list[Evaluation]
    model: Vector
    folder: Path | None

    def to_json(self) -> dict[str, Any]:
        """Return what `holdfast run --json` prints."""
        return super().to_json() | {"run": None if self.folder is None else str(self.folder)}
