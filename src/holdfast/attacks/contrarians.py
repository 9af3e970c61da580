"""Attacks on votes: stand on the other side than honest workers, on all coordinates or on some."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.attacks.copies import require_honest, row_of
from holdfast.attacks.threats import ColludingAttack, FullView, honest_mean
from holdfast.typing import Rows, Workers


@dataclass(frozen=True)
class Contrarian(ColludingAttack):
    """Stand on the other side of the master than most honest workers, coordinate by coordinate.

    The strongest vote against l1-RSA, which counts signs only. To look ordinary, the Byzantine workers
    stand no farther from the master than the farthest honest worker. Gradients are read against 0.
    """

    def __call__(self, view: FullView, /) -> Rows:
        offsets = view.honest - view.neutral
        majority = np.sign(np.sign(offsets).sum(axis=0))
        farthest = np.abs(offsets).max(axis=0)
        return np.broadcast_to(view.neutral - majority * farthest, view.own.shape)


@dataclass(frozen=True)
class PartialContrarian(ColludingAttack):
    """Be contrarian where it matters most, and elsewhere send what honest workers send, each another one's message.

    What matters most is the `share` of the coordinates on which the honest mean is farthest from neutral. Against a
    master that believes workers that agree on most coordinates, by this package.

    >>> PartialContrarian(share=0.5)(FullView.of([[1.0, 9.0], [2.0, 8.0]], byzantine=3)).tolist()
    [[1.0, -9.0], [2.0, -9.0], [1.0, -9.0]]
    """

    share: Annotated[float, Meta(ge=0, le=1)] = 0.3

    def __call__(self, view: FullView, /) -> Rows:
        sent = view.honest[np.arange(len(view.workers)) % len(view.honest)]
        weight = np.abs(honest_mean(view) - view.neutral)
        most = np.argsort(-weight, kind="stable")[: round(self.share * len(weight))]
        sent[:, most] = Contrarian()(view)[:, most]
        return sent


@dataclass(frozen=True)
class Framing(ColludingAttack):
    """Make one honest worker look odd: stand on the other side than it does where that costs least.

    Each Byzantine worker copies an honest worker other than the victim, except on the `share` of the coordinates on
    which honest workers are divided most evenly. There all Byzantine workers stand on the other side than the victim,
    and still agree with half of the others. Against a master that excludes workers that disagree with most, by this
    package. In a round in which the victim is absent, the victim is the first honest worker.

    >>> Framing(worker=1, share=0.5)(FullView.of([[3.0, 1.0], [2.0, -1.0]])).tolist()
    [[2.0, -1.0]]
    """

    worker: int = 1
    share: Annotated[float, Meta(ge=0, le=1)] = 0.5

    def check(self, honest: Workers) -> None:
        require_honest("framing needs an honest worker to frame", self.worker, honest)

    def __call__(self, view: FullView, /) -> Rows:
        self.check(np.concatenate([view.honest_workers, view.absent]))
        at = row_of(self.worker, view)
        others = np.delete(view.honest, at, axis=0) if len(view.honest) > 1 else view.honest
        sent = others[np.arange(len(view.workers)) % len(others)]
        offsets = view.honest - view.neutral
        even = np.argsort(np.abs(np.sign(offsets).sum(axis=0)), kind="stable")[: round(self.share * sent.shape[1])]
        away = np.abs(sent - view.neutral) * np.sign(offsets[at])
        sent[:, even] = (view.neutral - away)[:, even]
        return sent
