"""What is measured at an evaluation. docs/method.md defines each of them."""

from dataclasses import dataclass

import numpy as np

from holdfast.engines.recorder import Heard
from holdfast.experiments.assembly import Experiment
from holdfast.experiments.forensics import standing
from holdfast.problems import LeastSquares
from holdfast.typing import Vector


@dataclass(frozen=True)
class Evaluation:
    """The state of learning after a number of rounds."""

    round: int
    accuracy: float | None
    """Share of the test samples that the master's model gets right; None if the problem has no classes."""
    loss: float
    """The cost of eq. correct at the master's model: the regular workers' full losses plus f0."""
    variance: float
    """Mean over the regular workers of |x_i - mean x|^2."""
    distance: float
    """Distance to consensus: root of the mean over the regular workers of |x_i - x0|^2."""
    disagreement: list[float] | None = None
    """How far each worker's last message stood apart from the others' (`holdfast.experiments.forensics`); None in old records."""
    twins: list[int] | None = None
    """How many others sent the same signs as each worker."""

    @property
    def finite(self) -> bool:
        return bool(np.isfinite([self.loss, self.variance, self.distance]).all())


def evaluate(experiment: Experiment, model: Vector, round: int, heard: Heard | None) -> Evaluation:
    """Measure the master's model, the regular workers' iterates, and the messages that were heard last."""
    data, problem, fleet = experiment.dataset, experiment.problem, experiment.fleet
    with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges is told by its infinite numbers
        spread = fleet.spread(model)
        stand = standing(heard.rows, experiment.method.worker.neutral(heard.model)) if heard else None
        return Evaluation(
            round=round,
            accuracy=problem.accuracy(model, data.test_features, data.test_targets),
            loss=problem.objective(model, experiment.prior, fleet.regular),
            variance=float(spread.from_mean.mean()),
            distance=float(spread.from_master.mean()) ** 0.5,
            disagreement=stand.disagreement if stand else None,
            twins=stand.twins if stand else None,
        )


def ceiling(experiment: Experiment) -> float | None:
    """Return the share of the test samples whose class some regular worker holds: nobody can learn the rest."""
    if isinstance(experiment.problem, LeastSquares):
        return None
    shards = experiment.problem.shards
    held = [np.unique(shards.targets[slice(*shards.starts[i - 1 : i + 1])]) for i in experiment.fleet.regular]
    return float(np.isin(experiment.dataset.test_targets, np.concatenate(held)).mean())
