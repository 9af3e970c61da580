from dataclasses import dataclass

import numpy as np

from holdfast.attacks.base import ColludingAttack, FullView
from holdfast.errors import InvalidInput
from holdfast.typing import Rows, Workers


@dataclass(frozen=True)
class Duplicate(ColludingAttack):
    """Send what one honest worker sends ("Heterogeneous Data"; there worker 1).

    In a round in which it is absent, what the first honest worker that is present sends.
    """

    cites = ("li2019rsa",)

    worker: int = 1

    def check(self, honest: Workers) -> None:
        if self.worker not in honest:
            raise InvalidInput(f"duplicate needs an honest worker to copy; got worker={self.worker}")

    def __call__(self, view: FullView, /) -> Rows:
        honest = view.honest_workers
        self.check(np.concatenate([honest, view.absent]))
        (row,) = np.nonzero(honest == (honest[0] if self.worker in view.absent else self.worker))
        return np.broadcast_to(view.honest[row[0]], view.own.shape)
