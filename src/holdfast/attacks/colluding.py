"""Attacks of workers that act together and see every regular message."""

from dataclasses import dataclass

import numpy as np

from holdfast.attacks.views import FullView
from holdfast.errors import InvalidInput
from holdfast.typing import Rows


@dataclass(frozen=True)
class NegativeSum:
    """Make the sum of all messages null (attack a2 of the paper).

    With several Byzantine workers each sends an equal part of minus the regular workers' sum.
    """

    def __call__(self, view: FullView, /) -> Rows:
        part = -view.honest.sum(axis=0) / len(view.own)
        return np.broadcast_to(part, view.own.shape)


@dataclass(frozen=True)
class Duplicate:
    """Send what one regular worker sends ("Heterogeneous Data"; there worker 1).

    In a round in which it is absent, what the first regular worker that is present sends.
    """

    worker: int = 1

    def __call__(self, view: FullView, /) -> Rows:
        (row,) = np.nonzero(view.regular == (view.regular[0] if self.worker in view.absent else self.worker))
        if not row.size:
            raise InvalidInput(f"duplicate needs a regular worker to copy; got worker={self.worker}")
        return np.broadcast_to(view.honest[row[0]], view.own.shape)


@dataclass(frozen=True)
class Contrarian:
    """Stand on the other side of the master than most regular workers, coordinate by coordinate.

    The strongest vote against l1-RSA, which counts sides only. To look ordinary, the Byzantine workers
    stand no farther from the master than the farthest regular worker. Gradients are read against 0.
    """

    def __call__(self, view: FullView, /) -> Rows:
        offsets = view.honest - view.neutral
        majority = np.sign(np.sign(offsets).sum(axis=0))
        farthest = np.abs(offsets).max(axis=0)
        return np.broadcast_to(view.neutral - majority * farthest, view.own.shape)


ColludingAttack = NegativeSum | Duplicate | Contrarian
