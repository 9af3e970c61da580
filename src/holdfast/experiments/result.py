"""What a run leaves behind."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.personal import Personal
from holdfast.experiments.spec import Spec
from holdfast.typing import Vector


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    spec: Spec
    model: Vector
    history: list[Evaluation]
    rounds: int
    """Rounds that were played; fewer than asked for if the run diverged."""
    diverged: int | None
    """The round after which something was no longer finite, if any."""
    ceiling: float | None
    """The accuracy that no method can exceed, for want of the liars' classes."""
    bytes_up: int
    """What a worker sends in a round."""
    bytes_down: int
    """What a worker receives in a round."""
    seconds: float
    """Spent on rounds, without evaluations."""
    evaluation_seconds: float
    folder: Path | None
    absent: int = 0
    """How often a worker was asked and did not answer in time."""
    personal: list[Personal] | None = None
    """The regular workers' models and the master's, on each worker's own distribution."""

    @property
    def last(self) -> Evaluation | None:
        """The final evaluation, unless the run diverged."""
        return self.history[-1] if self.history and self.diverged is None else None

    @property
    def accuracy(self) -> float | None:
        return self.last.accuracy if self.last else None

    def to_json(self) -> dict[str, Any]:
        """Return what `holdfast run --json` prints."""
        return {
            "accuracy": self.accuracy,
            "loss": self.last.loss if self.last else None,
            "variance": self.last.variance if self.last else None,
            "distance": self.last.distance if self.last else None,
            "penalty": self.spec.penalty,
            "rate": self.spec.rate,
            "rounds": self.rounds,
            "seconds": self.seconds + self.evaluation_seconds,
            "evaluation_seconds": self.evaluation_seconds,
            "diverged": self.diverged,
            "ceiling": self.ceiling,
            "bytes_up": self.bytes_up,
            "bytes_down": self.bytes_down,
            "absent": self.absent,
            "personal": None if self.personal is None else [asdict(worker) for worker in self.personal],
            "history": [asdict(evaluation) for evaluation in self.history],
            "run": None if self.folder is None else str(self.folder),
        }
