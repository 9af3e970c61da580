"""A run worker by worker: what each was left with, and how much it disagreed with the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.experiments.forensics import (
    LEAST_EVALUATIONS,
    copied,
    mean_disagreement,
    suspected,
    suspicion,
)
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.parts import attack_and_byzantine, participants
from holdfast.experiments.personal import Personal
from holdfast.experiments.spec import Spec
from holdfast.experiments.watched import Treatment


@dataclass(frozen=True)
class Suspicion:
    """What the messages of a run tell of a worker; whether it is Byzantine had no part in it."""

    disagreement: float
    """Mean over the evaluations."""
    score: float
    """How far that lies above the median worker's, in robust standard deviations."""
    rank: int
    """1 for the most suspicious; equals have the better rank of them all."""
    suspected: bool
    copied: bool
    """Whether at every evaluation some other worker sent the same signs."""


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


def individuals(
    spec: Spec, history: Sequence[Evaluation], personal: Sequence[Personal] | None = None
) -> list[Individual]:
    """Return the workers of a resolved spec's run, in the order of their numbers."""
    workers, byzantine = participants(spec), attack_and_byzantine(spec)[1]
    measured = {each.worker: each for each in personal or ()}
    suspicions = suspicions_of(history) or [None] * len(workers)
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


def suspicions_of(history: Sequence[Evaluation]) -> list[Suspicion | None]:
    """Return what all evaluations that recorded messages tell of each worker; nothing if none did.

    Of a worker that was present at fewer than LEAST_EVALUATIONS of them numbers are shown, but it is not judged.
    """
    shares = [each.disagreement for each in history if each.disagreement is not None]
    twins = [each.twins for each in history if each.twins is not None]
    if not shares or not twins:
        return []
    scores, means, suspects = suspicion(shares, twins), mean_disagreement(shares), suspected(shares, twins)
    seen = np.array([[share is not None for share in row] for row in shares]).sum(axis=0)
    copies = copied(twins) & (seen >= LEAST_EVALUATIONS)
    return [
        None
        if np.isnan(mean)
        else Suspicion(
            disagreement=float(mean),
            score=float(score),
            rank=1 + int((scores > score).sum()),
            suspected=bool(suspect),
            copied=bool(copy),
        )
        for mean, score, suspect, copy in zip(means, scores, suspects, copies, strict=True)
    ]
