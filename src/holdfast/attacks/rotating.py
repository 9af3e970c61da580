from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.attacks.base import ColludingAttack, FullView
from holdfast.attacks.lies import Lie, lie
from holdfast.typing import Rows


@dataclass(frozen=True)
class Rotating(ColludingAttack):
    """Take turns in lying: one of `groups` lies for some `rounds` while the others are honest, then the next one.

    Worker i belongs to group i modulo `groups`. Who is left out for its lies has long stopped when the master has
    found out. Against masters with memory, by this package.

    >>> Rotating(groups=2)(FullView.of([[1.0], [2.0]], byzantine=2)).tolist()  # workers 3 and 4
    [[0.0], [-2.0]]
    """

    rounds: Annotated[int, Meta(ge=1)] = 20
    groups: Annotated[int, Meta(ge=2)] = 2
    lie: Lie = "contrarian"
    uses_own = True

    def __call__(self, view: FullView, /) -> Rows:
        turn = view.workers % self.groups == view.round // self.rounds % self.groups
        sent: Rows = np.where(turn[:, np.newaxis], lie(self.lie, view), view.own)
        return sent
