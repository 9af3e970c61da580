"""Who takes part in a run, and who of them lies."""

from typing import NamedTuple

import numpy as np

from holdfast import methods
from holdfast.experiments.spec import Spec
from holdfast.typing import Workers


class Crew(NamedTuple):
    """The numbers of those who take part, in the order of their messages."""

    workers: Workers
    liars: Workers


def crew(spec: Spec) -> Crew:
    """Return who takes part in the run of a resolved spec.

    >>> from holdfast.experiments.defaults import resolved
    >>> spec = resolved(Spec(workers=4, byzantine=1, attack="infinite"))
    >>> crew(spec).workers.tolist(), crew(spec).liars.tolist()
    ([1, 2, 3, 4], [4])
    """
    everyone, named = np.arange(1, spec.workers + 1), np.array(spec.liars, dtype=np.int64)
    taking_part = methods.REGISTRY[spec.method].crew
    workers = np.setdiff1d(everyone, named) if taking_part == "regular only" else everyone
    lying = taking_part == "attacked" and spec.attack != "none"
    return Crew(workers, named if lying else named[:0])
