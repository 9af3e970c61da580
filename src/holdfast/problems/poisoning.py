"""Gradients of workers that learn from samples with other labels."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import Attack, BatchPoisoning, LabelPoisoning
from holdfast.errors import InvalidInput
from holdfast.problems.linear_problem import LinearProblem
from holdfast.problems.minibatches import Minibatches
from holdfast.problems.protocols import Problem
from holdfast.problems.worker_samples import Relabel
from holdfast.streams import Stream
from holdfast.typing import Oracle, Rows, Vector, Workers


@runtime_checkable
class Relabels(Problem, Protocol):
    """A problem with classes some of whose workers can be given other labels."""

    def relabel(self, workers: Workers, relabel: Relabel) -> Problem:
        """Return the problem in which these workers' labels are `relabel(labels, classes, worker)`."""


def oracle_under(attack: Attack | None, problem: Problem, workers: Workers, byzantine: Workers, seed: int) -> Oracle:
    """Return the oracle of these workers; under a poisoning attack, Byzantine workers compute on poisoned data."""
    if not isinstance(attack, LabelPoisoning | BatchPoisoning):
        return problem.oracle(workers)
    classifies = getattr(problem, "classifies", True)
    if isinstance(attack, LabelPoisoning) and isinstance(problem, Relabels) and classifies:
        return problem.relabel(
            byzantine, lambda labels, classes, worker: attack.relabel(labels, classes, worker, seed)
        ).oracle(workers)
    if isinstance(attack, BatchPoisoning) and isinstance(problem, LinearProblem) and classifies:
        return PoisonedBatches(problem, workers, byzantine, attack)
    what = "a problem with classes that can relabel samples"
    raise InvalidInput(f"{type(attack).__name__} needs {what}; got {type(problem).__name__}")


@dataclass(frozen=True)
class PoisonedBatches:
    """Minibatch gradients, those of `byzantine` workers on labels chosen by the model at which they are taken.

    The labels of the samples that a round draws are replaced in a copy; then it is the plain oracle, bit for bit.
    """

    problem: LinearProblem
    workers: Workers
    byzantine: Workers
    attack: BatchPoisoning

    def only(self, workers: Workers) -> "PoisonedBatches":
        """Return the oracle of some of them."""
        return replace(self, workers=workers)

    def __call__(self, models: Rows, round: int, /) -> Rows:
        return self._relabel(models, round)(models, round)

    def l1_step(self, models: Rows, master: Vector, rate: float, penalty: float, round: int) -> Rows:
        """Return what the plain oracle's step makes of these labels."""
        return self._relabel(models, round).l1_step(models, master, rate, penalty, round)

    def full(self, models: Rows, where: NDArray[np.bool_]) -> Rows:
        """Return the plain oracle's gradients on all samples, with these labels."""
        sizes = np.diff(self.problem.shards.starts)
        return self._with_labels(models, lambda worker: np.arange(sizes[worker - 1])).full(models, where)

    def refreshes(self, round: int) -> NDArray[np.bool_]:
        """Return whose turn it is to look at all samples: as the plain oracle says."""
        return self.problem.oracle(self.workers).refreshes(round)

    def saga(self, models: Rows, round: int, tables: Rows, averages: Rows) -> tuple[Rows, Rows, Rows]:
        """Return what SAGA makes of these labels."""
        return self._relabel(models, round).saga(models, round, tables, averages)

    def _relabel(self, models: Rows, round: int) -> Minibatches:
        stream, sizes = Stream(self.problem.seed, "batch"), np.diff(self.problem.shards.starts)

        def draw_samples(worker: int) -> NDArray[np.int64]:
            found: NDArray[np.int64] = stream.integers(
                np.array([worker]), round, sizes[[worker - 1]], self.problem.batch
            )[0]
            return found

        return self._with_labels(models, draw_samples)

    def _with_labels(self, models: Rows, samples: Callable[[int], NDArray[np.int64]]) -> Minibatches:
        """Return the plain oracle with the attack's labels at these samples of each Byzantine worker."""
        problem, shards = self.problem, self.problem.shards
        targets, every_model = shards.targets.copy(), np.atleast_2d(models)
        for place, worker in enumerate(self.workers.tolist()):
            if worker in self.byzantine:
                drawn = shards.starts[worker - 1] + samples(worker)
                scores = problem.scores_of_all(every_model[place % len(every_model)], shards.features[drawn])
                if scores.shape[1] == 1:  # one score of two classes, against 0
                    scores = np.hstack([np.zeros_like(scores), scores])
                targets[drawn] = self.attack.relabel(targets[drawn], scores)
        return replace(problem, shards=replace(shards, targets=targets)).oracle(self.workers)
