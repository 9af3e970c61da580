"""Problems of nodes that hold their own samples and nobody else's."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.federation.engine import Task
from holdfast.problems import REGISTRY, LinearProblem, ModuleProblem, Problem, Samples, Shards
from holdfast.problems.modules.learner import LOSSES, Loss, running
from holdfast.problems.modules.tensor_batches import Scaling, as_images
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number

Loader = Callable[[int | None, int], tuple[np.ndarray, np.ndarray]]
"""Returns features and targets: of this worker of so many; for None those that the server tests on."""


def linear_task(problem: str, outputs: int, samples: Loader) -> Task:
    """Return the task of learning one of our linear problems from samples that stay where they are."""

    def task(spec: Spec, worker: int | None) -> Problem:
        features, targets = samples(worker, spec.workers)
        flat = np.reshape(features, (len(features), -1))
        kind: type[LinearProblem] = REGISTRY[problem]
        test = Samples(flat, targets) if worker is None else None
        return kind(_own(spec, worker, flat, targets), outputs, spec.batch, _weight(spec), spec.seed, test)

    return task


def torch_task(
    module: Callable[..., Any], outputs: int, samples: Loader, problem: str = "softmax", loss: Loss | None = None
) -> Task:
    """Return the task of learning a PyTorch module from samples that stay where they are.

    `module()` makes it, with `outputs` scores for a sample; `problem` says how targets are read, and the loss if there
    is no other. Everyone starts from the parameters that the run's seed gives.
    """

    def task(spec: Spec, worker: int | None) -> Problem:
        features, targets = samples(worker, spec.workers)
        seen, kind = as_images(np.asarray(features)), REGISTRY[problem]
        made = ModuleProblem(
            _own(spec, worker, seen, targets),
            module,
            kind,
            outputs,
            loss or LOSSES[kind],
            spec.batch,
            _weight(spec),
            Scaling.plain(require_number(spec.scale)),
            seed=spec.seed,
            test=Samples(seen, targets) if worker is None else None,
        )
        if running(made.module):  # they would have to be found from everyone's samples
            need = "a federation's module must keep no statistics of batches: use GroupNorm or LayerNorm"
            raise InvalidInput(f"{need}; got {type(running(made.module)[0]).__name__}")
        return made

    return task


def _own(spec: Spec, worker: int | None, features: NDArray[Any], targets: NDArray[Any]) -> Shards:
    """Return a node's samples; a server's is one, by which it knows their shape: it draws from nobody's."""
    here, owner = (features[:1], spec.workers) if worker is None else (features, worker)
    starts = np.where(np.arange(spec.workers + 1) < owner, 0, len(here))
    return Shards(here, targets[: len(here)], starts, require_number(spec.scale), np.dtype(spec.dtype))


def _weight(spec: Spec) -> float:
    return 1 / spec.workers if spec.weighting == "mean" else 1.0
