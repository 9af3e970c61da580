"""All nodes of a federation in one process: to find numbers with, and to hold a deployment against."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdfast.federation.engine import Task
from holdfast.problems import Problem
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.typing import Oracle, Rows, Vector, Workers


def simulated(spec: Spec, task: Task, attack: Any = None, byzantine: int | tuple[int, ...] = 0) -> Result:
    """Train an app's spec and task on the simulated engine; a deployment of the same nodes ends at the same model."""
    spec = fill_defaults(spec)
    nodes = {worker: task(spec, worker) for worker in range(1, spec.workers + 1)}
    problem = Together(nodes, task(spec, None))
    return run(replace(spec, problem=problem, attack=attack, byzantine=byzantine, eval_every=spec.rounds))


@dataclass(frozen=True, eq=False)
class Together:
    """The problem of all workers, each as its own node sees it; it is tested as the server tests."""

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
