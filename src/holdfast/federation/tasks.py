"""Problems of nodes that hold only their own samples: one per node, or all nodes in one process."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.federation.federated_training import Task
from holdfast.problems import REGISTRY, LinearProblem, ModuleProblem, Problem, Samples, Shards
from holdfast.problems.modules.learner import LOSSES, Loss, running
from holdfast.problems.modules.tensor_batches import Scaling, as_images
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.typing import Array, Oracle, Rows, Vector, Workers

Loader = Callable[[int | None, int], tuple[np.ndarray, np.ndarray]]
"""Returns features and targets of one worker among so many; for None the server's test samples."""


def linear_task(problem: str, outputs: int, samples: Loader) -> Task:
    """Return the task of learning a linear problem of ours from samples that stay on their nodes."""

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
    """Return the task of learning a PyTorch module from samples that stay on their nodes.

    `module()` builds a module with `outputs` scores per sample. `problem` says how targets are read, and the loss
    unless `loss` is given. All nodes start from the parameters that the run's seed gives.
    """

    def task(spec: Spec, worker: int | None) -> Problem:
        features, targets = samples(worker, spec.workers)
        seen, kind = as_images(np.asarray(features)), REGISTRY[problem]
        built = ModuleProblem(
            _own(spec, worker, seen, targets),
            outputs,
            spec.batch,
            _weight(spec),
            spec.seed,
            Samples(seen, targets) if worker is None else None,
            model=module,
            kind=kind,
            loss=loss or LOSSES[kind],
            scaling=Scaling.plain(require_number(spec.scale)),
        )
        if running(built.module):  # statistics need the samples of all nodes
            need = "a federation's module must keep no statistics of batches: use GroupNorm or LayerNorm"
            raise InvalidInput(f"{need}; got {type(running(built.module)[0]).__name__}")
        return built

    return task


def _own(spec: Spec, worker: int | None, features: Array, targets: Array) -> Shards:
    """Return a node's samples. The server gets one sample, for its shape: it draws from no worker's."""
    here, owner = (features[:1], spec.workers) if worker is None else (features, worker)
    starts = np.where(np.arange(spec.workers + 1) < owner, 0, len(here))
    return Shards(here, targets[: len(here)], starts, require_number(spec.scale), np.dtype(spec.dtype))


def _weight(spec: Spec) -> float:
    return 1 / spec.workers if spec.weighting == "mean" else 1.0


def simulate(spec: Spec, task: Task, attack: Any = None, byzantine: int | tuple[int, ...] = 0) -> Result:
    """Train an app's spec and task on the simulated engine. A deployment of the same nodes ends at the same model."""
    spec = fill_defaults(spec)
    nodes = {worker: task(spec, worker) for worker in range(1, spec.workers + 1)}
    problem = AllNodes(nodes, task(spec, None))
    return run(replace(spec, problem=problem, attack=attack, byzantine=byzantine, eval_every=spec.rounds))


@dataclass(frozen=True, eq=False)
class AllNodes:
    """The problem of all workers: each worker's part as on its node, tests as on the server."""

    nodes: Mapping[int, Problem]
    server: Problem

    @property
    def dimension(self) -> int:
        return self.server.dimension

    @property
    def workers(self) -> Workers:
        return self.server.workers

    def start(self) -> Vector:
        return self.server.start()

    def oracle(self, workers: Workers) -> Oracle:
        each = [self.nodes[worker].oracle(np.array([worker])) for worker in workers.tolist()]

        def gradients(models: Rows, round: int, /) -> Rows:
            rows = np.broadcast_to(models, (len(each), models.shape[-1]))
            return np.concatenate([own(row[np.newaxis], round) for own, row in zip(each, rows, strict=True)])

        return gradients

    def objective(self, model: Vector, workers: Iterable[int]) -> float:
        return sum(self.nodes[worker].objective(model, [worker]) for worker in workers)

    def evaluate(self, model: Vector) -> Mapping[str, float]:
        return self.server.evaluate(model)
