"""A run's folder, worker by worker, whether the run is over or not."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.methods import Constant, Program, Ridge, Setting
from holdfast.runs.composition import attack_and_byzantine, participants
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.metrics import Evaluation
from holdfast.runs.personal import Personal
from holdfast.runs.records import Result
from holdfast.runs.spec import Spec
from holdfast.typing import Json
from holdfast.watching.opinion import Treatment
from holdfast.watching.sides import LEAST_COORDINATES
from holdfast.watching.suspicion import (
    LEAST_EVALUATIONS,
    find_copies,
    find_suspects,
    mean_disagreement,
    suspicion,
)

UNJUDGED = "No worker was judged by its messages"


@dataclass(frozen=True)
class Suspicion:
    """Evidence from a worker's messages alone; the simulation's knowledge of Byzantine workers is not used."""

    disagreement: float
    """Mean over the evaluations."""
    score: float
    """How far that lies above the median worker's, in robust standard deviations."""
    rank: int
    """1 for the most suspicious; equals have the better rank of them all."""
    suspected: bool
    copied: bool
    """Whether at every evaluation some other worker sent the same message."""
    judged: bool = True
    """Whether the worker was present at enough evaluations; else it is neither suspected nor cleared."""


@dataclass(frozen=True)
class Individual:
    """One worker of a run."""

    worker: int
    byzantine: bool
    """What the simulation knows, and no master does."""
    own: float | None
    """Accuracy of its model x_i on its own distribution; None for Byzantine ones, and where it was not measured."""
    master: float | None
    """Accuracy of x0 on the same."""
    suspicion: Suspicion | None
    """None where messages were not recorded, and for a worker that was never present at an evaluation."""
    watched: Treatment | None = None
    """What the master did about it, if it judges."""


def list_individuals(
    spec: Spec, history: Sequence[Evaluation], personal: Sequence[Personal] | None = None
) -> list[Individual]:
    """Return the workers of a resolved spec's run, in the order of their numbers."""
    workers, byzantine = participants(spec), attack_and_byzantine(spec)[1]
    measured = {each.worker: each for each in personal or ()}
    suspicions = list_suspicions(history) or [None] * len(workers)
    judged = history[-1].watched if history else None
    watched: Sequence[Treatment | None] = judged or [None] * len(workers)
    return [
        Individual(
            worker=worker,
            byzantine=worker in byzantine,
            own=measured[worker].own if worker in measured else None,
            master=measured[worker].master if worker in measured else None,
            suspicion=found,
            watched=done,
        )
        for worker, found, done in zip(workers.tolist(), suspicions, watched, strict=True)
    ]


def list_suspicions(history: Sequence[Evaluation]) -> list[Suspicion | None]:
    """Return what all evaluations that recorded messages tell of each worker; nothing if none did.

    A worker that was present at fewer than LEAST_EVALUATIONS of them has numbers, and is not judged.
    """
    shares = [each.disagreement for each in history if each.disagreement is not None]
    twins = [each.twins for each in history if each.twins is not None]
    if not shares or not twins:
        return []
    scores, means, suspects = suspicion(shares, twins), mean_disagreement(shares), find_suspects(shares, twins)
    seen = np.array([[share is not None for share in row] for row in shares]).sum(axis=0)
    judged = seen >= LEAST_EVALUATIONS
    copies = find_copies(twins) & judged
    return [
        None
        if np.isnan(mean)
        else Suspicion(
            disagreement=float(mean),
            score=float(score),
            rank=1 + int((scores > score).sum()),
            suspected=bool(suspect),
            copied=bool(copy),
            judged=bool(enough),
        )
        for mean, score, suspect, copy, enough in zip(means, scores, suspects, copies, judged, strict=True)
    ]


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
        texts = (self._ending(), *self.warnings, self.missing_judgement, self._missing_models())
        return [text for text in texts if text]

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
    def guesses(self) -> bool:
        """Whether the final model is no better than guessing."""
        return bool((self.result or {}).get("guesses"))

    @property
    def _program(self) -> Program:
        """The method's program; with any numbers, since only its parts are asked for."""
        return self.spec.method.with_penalty(1.0).program(Setting(Constant(1.0), Ridge(0.0)))

    def _ending(self) -> str | None:
        if self.result is None:
            return f"This run is not over; resume it with: holdfast resume {shlex.quote(str(self.folder))}"
        return None

    @property
    def missing_judgement(self) -> str | None:
        """Why workers are not judged by their messages; None if all of them are."""
        if not self.history:
            yet = " yet" if self.result is None else ""
            return f"{UNJUDGED}: nothing was evaluated{yet}."
        recorded = [each.disagreement for each in self.history if each.disagreement is not None]
        if not recorded and self._program.counts:
            return f"{UNJUDGED}: the master received only counts of bits."
        if not recorded:
            return f"{UNJUDGED}: messages of fewer than {LEAST_COORDINATES} numbers are not compared."
        if len(recorded) < LEAST_EVALUATIONS:
            few = f"this run has {len(recorded)}; lower --eval-every"
            return f"{UNJUDGED}: suspicion scores need {LEAST_EVALUATIONS} evaluations, {few}."
        present = zip(*([share is not None for share in row] for row in recorded), strict=True)
        seldom = [
            str(each.worker) for each, at in zip(self.workers, present, strict=True) if sum(at) < LEAST_EVALUATIONS
        ]
        if seldom:
            return f"Not judged, since present at fewer than {LEAST_EVALUATIONS} evaluations: {', '.join(seldom)}."
        return None

    def _missing_models(self) -> str | None:
        if self.result is None:
            return "The workers' own models are measured when the run is over."
        if self.result.get("personal") is None and self.result.get("diverged") is None:
            return "The workers' own models were not measured: that needs classes, and all workers in one process."
        return None

    def to_json(self) -> Json:
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


def inspect_result(result: Result) -> Inspection:
    """Return what the folder of a run that has just ended tells, without reading it."""
    workers = list_individuals(result.spec, result.history, result.personal)
    return Inspection(result.folder or Path(), result.spec, result.history, result.to_json(), workers)


def inspect(folder: Path) -> Inspection:
    """Read a run's folder; its data are not needed."""
    store = RunFolder(folder)
    spec, history, result = store.manifest.spec, store.history(), store.artifacts.result
    try:
        measured = [Personal(**each) for each in (result or {}).get("personal") or ()]
        workers = list_individuals(spec, history, measured)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{folder} must hold the records of its own spec; got {error}") from None
    return Inspection(folder, spec, history, result, workers)
