"""What a run leaves behind."""

from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.personal import Personal
from holdfast.experiments.spec import Spec, data_text
from holdfast.methods import method_text
from holdfast.problems import Problem
from holdfast.typing import Vector


@dataclass(frozen=True, repr=False)
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
    """The accuracy that no method can exceed, for want of the Byzantine workers' classes."""
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
    """The honest workers' models and the master's, on each worker's own distribution."""
    asked: Spec | None = None
    """The spec before numbers were found by rule, as far as it is known: runs that asked for the same are named so."""

    @property
    def last(self) -> Evaluation | None:
        """The final evaluation, unless the run diverged."""
        return self.history[-1] if self.history and self.diverged is None else None

    @property
    def accuracy(self) -> float | None:
        return self.last.accuracy if self.last else None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the history by column: round, accuracy, loss, variance, distance and whatever the problem measures.

        What was not measured is NaN. `disagreement` and `twins` have one column per participant, where they are known.
        """
        rows = [asdict(evaluation) for evaluation in self.history]
        lists, names = ("disagreement", "twins"), [each.name for each in fields(Evaluation)]
        plain = [name for name in names if name not in (*lists, "metrics")]
        found = {name: np.array([row[name] for row in rows], int if name == "round" else float) for name in plain}
        extra = dict.fromkeys(name for row in rows for name in row["metrics"])
        found |= {name: np.array([row["metrics"].get(name, np.nan) for row in rows], float) for name in extra}
        return found | {
            name: np.array([row[name] for row in rows], float)
            for name in lists
            if rows and all(row[name] is not None for row in rows)
        }

    def frame(self) -> Any:
        """Return the history as a pandas DataFrame, one row per evaluation."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise InvalidInput("a frame needs pandas: pip install pandas; got no module named pandas") from None
        return pandas.DataFrame({name: column for name, column in self.arrays().items() if column.ndim == 1})

    def __repr__(self) -> str:
        problem = self.spec.problem
        made = not isinstance(problem, str | type) and isinstance(problem, Problem)  # then no data were loaded
        what = f"{method_text(self.spec.method)} on {type(problem).__name__ if made else data_text(self.spec.data)}"
        if self.last is None:
            return f"Result({what}, diverged at round {self.diverged})"
        reached = f"loss {self.last.loss:.4g}" if self.accuracy is None else f"accuracy {self.accuracy:.4f}"
        return f"Result({what}, {reached} after {self.rounds} rounds)"

    def to_json(self) -> dict[str, Any]:
        """Return what `holdfast run --json` prints."""
        return {
            "accuracy": self.accuracy,
            "loss": self.last.loss if self.last else None,
            "variance": self.last.variance if self.last else None,
            "distance": self.last.distance if self.last else None,
            "method": method_text(self.spec.method),
            "penalty": getattr(self.spec.method, "penalty", None),
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
