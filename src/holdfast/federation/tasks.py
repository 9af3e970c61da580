"""Problems of nodes that hold their own samples and nobody else's."""

from collections.abc import Callable

import numpy as np

from holdfast.experiments.given import require_number
from holdfast.experiments.spec import Spec
from holdfast.federation.engine import Task
from holdfast.problems import REGISTRY, LinearProblem, Problem, Samples, Shards

Loader = Callable[[int | None, int], tuple[np.ndarray, np.ndarray]]
"""Returns features and targets: of this worker of so many; for None those that the server tests on."""


def linear_task(problem: str, outputs: int, samples: Loader) -> Task:
    """Return the task of learning one of our linear problems from samples that stay where they are."""

    def task(spec: Spec, worker: int | None) -> Problem:
        features, targets = samples(worker, spec.workers)
        flat, dtype = np.reshape(features, (len(features), -1)), np.dtype(spec.dtype)
        owner = spec.workers if worker is None else worker
        here = (
            flat[:1] if worker is None else flat
        )  # a server draws from nobody's, but has to know how long a sample is
        starts = np.where(np.arange(spec.workers + 1) < owner, 0, len(here))
        shards = Shards(here, targets[: len(here)], starts, require_number(spec.scale), dtype)
        weight = 1 / spec.workers if spec.weighting == "mean" else 1.0
        kind: type[LinearProblem] = REGISTRY[problem]
        test = Samples(flat, targets) if worker is None else None
        return kind(shards, outputs, spec.batch, weight, spec.seed, test)

    return task
