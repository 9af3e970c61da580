"""What the theorems say of a spec."""

import logging

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.methods import Penalty, Ridge, Rsa, penalty
from holdfast.problems import solvable
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.workbench import SHARED
from holdfast.theory import Guarantees

logger = logging.getLogger(__name__)


def find_guarantees(spec: Spec) -> Guarantees:
    """Return what the paper promises to a spec: its Byzantine workers attack, whatever `attack` says.

    >>> asked = Spec(data="digits", method="rsa", scale=1, partition="by-label", workers=10, byzantine=2)
    >>> found = find_guarantees(asked)
    >>> len(found.lambda0_per_worker), found.lambda0 > 0.01, found.convergence is None
    (8, True, True)
    """
    logger.info("loading the data and dealing them to %d workers", spec.workers)
    spec = resolve_auto(fill_defaults(spec))
    method = spec.method
    if not isinstance(method, Rsa):
        raise InvalidInput(f"the theorems speak of rsa and ideal-rsa; got method={spec.method_name}")
    if method.reply != "current":
        raise InvalidInput(f"the theorems speak of workers that send their current iterate; got reply={method.reply}")
    if isinstance(method.norm, Penalty):
        raise InvalidInput(f"the theorems speak of lp norms; got norm={method.norm_label}")
    rate = None if spec.rate is None else require_number(spec.rate)
    problem = solvable(SHARED.build(spec).problem, "theory")
    return Guarantees.of(
        problem,
        Ridge(require_number(spec.l2)),
        penalty(method.norm, require_number(method.penalty)),
        np.setdiff1d(problem.workers, spec.byzantine_workers),
        spec.q if method.attacked else 0,
        high=rate if spec.schedule == "theorem2" else None,
        sqrt_high=rate if spec.schedule == "theorem-sqrt" else None,
    )
