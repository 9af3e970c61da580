"""What RSA leaves every worker with: a model of its own, measured on data such as its own."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from holdfast.engines import Simulated
from holdfast.problems import find_classes
from holdfast.runs.experiment import Experiment
from holdfast.typing import Vector

SAMPLES = 2000
"""Test samples to look at for a worker, at most: enough to tell models apart, few enough to cost a run nothing."""


@dataclass(frozen=True)
class Personal:
    """Two models on an honest worker's own distribution.

    That is the test set with its classes weighted as the worker's training samples are: the sum over its
    classes c of (share of c among its samples) * (accuracy on test samples of c). Classes without a test
    sample are left out, and the shares of the others add up to 1 again.
    """

    worker: int
    own: float | None
    """Accuracy of the worker's model x_i; None if the test set has none of its classes."""
    master: float | None
    """Accuracy of the master's model x0 on the same samples."""


def measure_personal(experiment: Experiment, model: Vector) -> list[Personal] | None:
    """Measure every honest worker's model; None where there are no classes, or models that stay elsewhere.

    Workers of gradient methods hold the master's model and no other: then both numbers are equal.
    """
    engine, found_classes = experiment.engine, find_classes(experiment.problem)
    if found_classes is None or not isinstance(engine, Simulated):  # on other engines models stay with their workers
        return None
    problem, test = found_classes

    @cache
    def samples(label: int, most: int) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
        """Return test samples of a class, spread over all that there are."""
        (at,) = np.nonzero(test.targets == label)
        some = at[:: -(-len(at) // most)]
        return test.features[some], test.targets[some]

    @cache
    def of_master(label: int, most: int) -> float | None:
        return problem.accuracy(model, *samples(label, most))

    found = []
    for worker, x in zip(engine.honest.tolist(), engine.iterates(model), strict=True):
        classes, counts = np.unique(problem.shards.of(worker)[1], return_counts=True)
        tested = np.isin(classes, test.targets)
        if not tested.any():
            found.append(Personal(worker, None, None))
            continue
        shares, most = counts[tested] / counts[tested].sum(), -(-SAMPLES // int(tested.sum()))
        masters = [of_master(c, most) for c in classes[tested].tolist()]
        shared = np.array_equal(x, model)
        own = masters if shared else [problem.accuracy(x, *samples(c, most)) for c in classes[tested].tolist()]
        found.append(Personal(worker, _mean(shares, own), _mean(shares, masters)))
    return found


def _mean(shares: NDArray[np.float64], accuracies: list[float | None]) -> float:
    return float(shares @ np.array(accuracies, dtype=np.float64))
