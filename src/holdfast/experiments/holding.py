"""Who holds what in a run, for its report."""

import numpy as np

from holdfast.data import Holdings, holdings
from holdfast.errors import InvalidInput
from holdfast.experiments.building import build_problem
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import Spec
from holdfast.problems import Classifying


def holdings_of(spec: Spec) -> Holdings | None:
    """Return how many samples of each class every worker holds, classes by the names that the data have for them.

    None where there are no classes, where the problem does not tell, and where the data are no longer there.

    >>> holdings_of(Spec(data="digits", partition="by-label", workers=10)).counts[0]
    array([150,   0,   0,   0,   0,   0,   0,   0,   0,   0])
    """
    try:
        dataset, problem = build_problem(resolved(spec))
    except (InvalidInput, OSError):
        return None
    if not isinstance(problem, Classifying) or not problem.classifies:
        return None
    found = holdings(problem)
    labels = None if dataset is None else dataset.numbered().labels
    return found if labels is None else found._replace(classes=np.array(labels)[found.classes])
