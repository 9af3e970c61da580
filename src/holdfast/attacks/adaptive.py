from dataclasses import dataclass
from typing import Annotated

import numpy as np
from msgspec import Meta

from holdfast.attacks.contrarians import Contrarian
from holdfast.attacks.line_search import LineAttack, damage_along, damage_of, search_line
from holdfast.attacks.mean_shifts import Alie, InnerProduct, NegativeSum
from holdfast.attacks.perturbations import MinMax, MinSum, TrimmedMeanAttack
from holdfast.attacks.threats import ColludingAttack, FullView, broadcast
from holdfast.typing import Rows

FIXED: tuple[ColludingAttack, ...] = (
    MinMax(),
    MinMax("std"),
    MinMax("sign"),
    MinSum(),
    MinSum("std"),
    MinSum("sign"),
    TrimmedMeanAttack(),
    Contrarian(),
    NegativeSum(),
)
"""Attacks that are tried as they are, in this order."""
LINES: tuple[LineAttack, ...] = (Alie(), InnerProduct())
"""Attacks that are tried with many constants."""


@dataclass(frozen=True)
class Adaptive(ColludingAttack):
    """Send what does most damage to the master's rule in this round, found in `evaluations` of that rule.

    Tried are min-max and min-sum in all directions, trim, contrarian and negative-sum as they are, then alie and
    inner-product by line search, with half of the remaining evaluations each; of equals the first. Damage is the
    distance of the master's direction from its direction for the honest mean (`attacks/line_search.py`); one more
    evaluation finds the latter. Without a rule to ask (`view.aggregate`), min-max is sent.

    >>> from holdfast.aggregators import Median
    >>> view = FullView.of([[1.0], [2.0], [6.0]], byzantine=2, aggregate=Median())
    >>> Median()(np.concatenate([view.honest, Adaptive()(view)]))  # 3 off the mean; below 1 it would be 2
    array([6.])
    """

    evaluations: Annotated[int, Meta(ge=1)] = 48

    @property
    def searches(self) -> bool:
        return True

    def __call__(self, view: FullView, /) -> Rows:
        damage = damage_of(view)
        if damage is None:
            return FIXED[0](view)
        tried = [attack(view) for attack in FIXED[: self.evaluations]]
        harms = [damage(sent) for sent in tried]
        left = self.evaluations - len(tried)
        for place, searched in enumerate(LINES):
            if share := left * (place + 1) // len(LINES) - left * place // len(LINES):
                line, start = searched.line(view)
                along = damage_along(line, view, damage)
                assert along is not None  # the rule can be asked
                constant, harm = search_line(along, start, share)
                tried.append(broadcast(line(constant), view))
                harms.append(harm)
        return tried[int(np.argmax(harms))]
