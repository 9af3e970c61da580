"""What a run's folder tells, whether the run is over or not."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from holdfast.errors import InvalidInput
from holdfast.experiments.folder import RunFolder
from holdfast.experiments.forensics import LEAST_COORDINATES, LEAST_EVALUATIONS
from holdfast.experiments.individuals import Individual, individuals
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.personal import Personal
from holdfast.experiments.spec import Spec
from holdfast.methods import Constant, Program, Ridge, Setting, with_penalty


@dataclass(frozen=True)
class Inspection:
    """A run as its folder has it."""

    folder: Path
    spec: Spec
    history: list[Evaluation]
    result: Mapping[str, Any] | None
    """What `result.json` holds; None while the run is not over."""
    workers: list[Individual]

    @property
    def notes(self) -> list[str]:
        """What to be careful about, and what is missing and why."""
        told = (self._ending(), *self.warnings, self.unjudged, self._missing_models())
        return [text for text in told if text]

    @property
    def warnings(self) -> list[str]:
        """What the run warned of, as sentences."""
        return [f"{text[0].upper()}{text[1:]}." for text in (self.result or {}).get("warnings", ())]

    @property
    def verdict(self) -> str | None:
        """What to make of the score, once the run is over."""
        found: str | None = (self.result or {}).get("verdict")
        return found

    @property
    def _program(self) -> Program:
        """The method's program; with any numbers, since only its parts are asked for."""
        return with_penalty(self.spec.method, 1.0).program(Setting(Constant(1.0), Ridge(0.0)))

    def _ending(self) -> str | None:
        if self.result is None:
            return f"This run is not over; resume it with: holdfast resume {shlex.quote(str(self.folder))}"
        return None

    @property
    def unjudged(self) -> str | None:
        """Why nobody is judged by messages, or who is not; None if everybody is."""
        if not self.history:
            yet = " yet" if self.result is None else ""
            return f"Nothing was evaluated{yet}, so that nothing is known of the messages."
        recorded = [each.disagreement for each in self.history if each.disagreement is not None]
        if not recorded and self._program.counts:
            return "The master received only counts of bits, so that nobody's messages could be compared."
        if not recorded:
            few = f"Messages of fewer than {LEAST_COORDINATES} numbers"
            return f"{few} do not tell who is Byzantine: they are not compared."
        if len(recorded) < LEAST_EVALUATIONS:
            return f"Nobody is judged by fewer than {LEAST_EVALUATIONS} evaluations; this run has {len(recorded)}."
        present = zip(*([share is not None for share in row] for row in recorded), strict=True)
        seldom = [
            str(each.worker) for each, at in zip(self.workers, present, strict=True) if sum(at) < LEAST_EVALUATIONS
        ]
        if seldom:
            return f"Not judged, since absent from all but a few evaluations: {', '.join(seldom)}."
        return None

    def _missing_models(self) -> str | None:
        if self.result is None:
            return "The workers' own models are measured when the run is over."
        if self.result.get("personal") is None and self.result.get("diverged") is None:
            return "The workers' own models were not measured: that needs classes, and all workers in one process."
        return None

    def to_json(self) -> dict[str, Any]:
        """Return what `holdfast inspect --json` prints."""
        return {
            "run": str(self.folder),
            "over": self.result is not None,
            "spec": self.spec.to_json(),
            "workers": [asdict(each) for each in self.workers],
            "history": [evaluation.to_json() for evaluation in self.history],
            "verdict": self.verdict,
            "notes": self.notes,
        }


def inspect(folder: Path) -> Inspection:
    """Read a run's folder; its data are not needed."""
    store = RunFolder(folder)
    spec, history, result = store.beginning.spec, store.history(), store.ending.result
    try:
        measured = [Personal(**each) for each in (result or {}).get("personal") or ()]
        workers = individuals(spec, history, measured)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{folder} must hold the records of its own spec; got {error}") from None
    return Inspection(folder, spec, history, result, workers)
