from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.attacks.threats import ColludingAttack, FullView, broadcast, honest_mean
from holdfast.typing import Rows


@dataclass(frozen=True)
class TrimmedMeanAttack(ColludingAttack):
    """Send values just beyond the honest extreme, against the sign of their mean (Fang et al., USENIX Security 2020).

    In a coordinate with mean > 0 the message lies below the least honest value m: at m / b if m > 0, at b m if not;
    with mean < 0 above the largest, likewise. The full-knowledge attack on the trimmed mean, b = 2 there; the authors
    draw from between the extreme and that value, ours is the value itself. All is read from the neutral message: for
    models from the master's. A null mean is left alone.

    >>> view = FullView.of([[1.0], [2.0], [6.0]])
    >>> TrimmedMeanAttack()(view)
    array([[0.5]])
    """

    cites = ("fang2020local",)

    b: Annotated[float, Meta(ge=1)] = 2.0

    def __call__(self, view: FullView, /) -> Rows:
        side = np.sign(honest_mean(view) - view.neutral)
        against = -side * (view.honest - view.neutral)  # every coordinate turned so that beyond is up
        extreme = against.max(axis=0)
        beyond = np.where(extreme > 0, self.b * extreme, extreme / self.b)
        return broadcast(view.neutral - side * beyond, view)
