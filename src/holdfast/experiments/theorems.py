"""What the theorems say of a spec."""

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.experiments.assembly import learnt
from holdfast.experiments.automatic import settled
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import Spec, number
from holdfast.methods.penalties import penalty
from holdfast.methods.priors import Ridge
from holdfast.theory import Guarantees


def guarantees(spec: Spec) -> Guarantees:
    """Return what the paper promises to a spec: its Byzantine workers lie, whatever `attack` says.

    >>> found = guarantees(Spec(data="digits", scale=1, partition="by-label", workers=10, byzantine=2))
    >>> len(found.lambda0_per_worker), found.lambda0 > 0.01, found.convergence is None
    (8, True, True)
    """
    spec = settled(resolved(spec))
    if not spec.recipe.penalised:
        raise InvalidInput(f"the theorems speak of rsa and ideal-rsa; got method={spec.method}")
    if spec.reply != "current":
        raise InvalidInput(f"the theorems speak of workers that send their current iterate; got reply={spec.reply}")
    rate = None if spec.rate is None else number(spec.rate)
    _, problem = learnt(spec)
    return Guarantees.of(
        problem,
        Ridge(spec.l2),
        penalty(spec.norm, number(spec.penalty)),
        np.setdiff1d(problem.shards.workers, spec.liars or ()),
        spec.byzantine if spec.recipe.crew == "attacked" else 0,
        high=rate if spec.schedule == "theorem2" else None,
        sqrt_high=rate if spec.schedule == "theorem-sqrt" else None,
    )
