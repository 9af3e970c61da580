"""Who holds what in a run, for its report."""

from holdfast.data import Holdings, holdings
from holdfast.errors import InvalidInput
from holdfast.experiments.building import build_problem
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import Spec
from holdfast.problems import LinearProblem


def holdings_of(spec: Spec) -> Holdings | None:
    """Return how many samples of each class every worker holds.

    None where there are no classes, where the problem does not tell, and where the data are no longer there.

    >>> holdings_of(Spec(data="digits", partition="by-label", workers=10)).counts[0]
    array([150,   0,   0,   0,   0,   0,   0,   0,   0,   0])
    """
    try:
        problem = build_problem(resolved(spec))[1]
    except (InvalidInput, OSError):
        return None
    if not isinstance(problem, LinearProblem) or not problem.classifies:
        return None
    return holdings(problem)
