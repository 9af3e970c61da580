from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.attacks.base import ColludingAttack, FullView
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Workers


@dataclass(frozen=True)
class Duplicate(ColludingAttack):
    """Send what one honest worker sends ("Heterogeneous Data"; there worker 1).

    In a round in which it is absent, what the first honest worker that is present sends.
    """

    cites: ClassVar[tuple[str, ...]] = ("li2019rsa",)

    worker: int = 1

    def check(self, honest: Workers) -> None:
        require_honest("duplicate needs an honest worker to copy", self.worker, honest)

    def __call__(self, view: FullView, /) -> Rows:
        self.check(np.concatenate([view.honest_workers, view.absent]))
        return np.broadcast_to(view.honest[row_of(self.worker, view)], view.own.shape)


def require_honest(needed: str, worker: int, honest: Workers) -> None:
    """Say what is needed if this worker is none of the honest ones."""
    if worker not in honest:
        raise InvalidInput(f"{needed}; got worker={worker}")


def row_of(worker: int, view: FullView) -> int:
    """Return the row of an honest worker, or that of the first honest worker present where it is absent."""
    return int((view.honest_workers == worker).argmax())
