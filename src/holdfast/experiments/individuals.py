"""A run worker by worker: what each was left with, and how far it stood apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.experiments.assembly import lying, participants
from holdfast.experiments.forensics import APART, copied, suspicion
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.personal import Personal
from holdfast.experiments.spec import Spec


@dataclass(frozen=True)
class Apart:
    """What the messages of a run tell of a worker; whether it lies had no part in it."""

    disagreement: float
    """Mean over the evaluations."""
    suspicion: float
    rank: int
    """1 for the most suspicious; equals have the better rank of them all."""
    suspected: bool
    copied: bool
    """Whether at every evaluation some other worker sent the same signs."""


@dataclass(frozen=True)
class Individual:
    """One worker of a run."""

    worker: int
    lies: bool
    """What the simulation knows, and no master does."""
    own: float | None
    """Accuracy of its model x_i on its own distribution; None for liars, and where it was not measured."""
    master: float | None
    """Accuracy of x0 on the same."""
    apart: Apart | None
    """None where messages were not recorded."""


def individuals(
    spec: Spec, history: Sequence[Evaluation], personal: Sequence[Personal] | None = None
) -> list[Individual]:
    """Return the workers of a resolved spec's run, in the order of their numbers."""
    workers, liars = participants(spec), lying(spec)[1]
    measured = {each.worker: each for each in personal or ()}
    stood: Sequence[Apart | None] = aparts(history) or [None] * len(workers)
    return [
        Individual(
            worker=worker,
            lies=worker in liars,
            own=measured[worker].own if worker in measured else None,
            master=measured[worker].master if worker in measured else None,
            apart=apart,
        )
        for worker, apart in zip(workers.tolist(), stood, strict=True)
    ]


def aparts(history: Sequence[Evaluation]) -> list[Apart]:
    """Return how each worker stood to the others, by all evaluations that recorded it; nothing if none did."""
    shares = [each.disagreement for each in history if each.disagreement is not None]
    twins = [each.twins for each in history if each.twins is not None]
    if not shares or not twins:
        return []
    scores = suspicion(shares)
    return [
        Apart(
            disagreement=share,
            suspicion=score,
            rank=1 + int((scores > score).sum()),
            suspected=score > APART,
            copied=twin,
        )
        for share, score, twin in zip(
            np.mean(shares, axis=0).tolist(), scores.tolist(), copied(twins).tolist(), strict=True
        )
    ]
