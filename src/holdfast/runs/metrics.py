"""What is measured at an evaluation. docs/method.md defines each of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.problems import Classifying
from holdfast.runs.experiment import Experiment
from holdfast.typing import Messages, Rows, Sides, Vector
from holdfast.watching import Opinion
from holdfast.watching.opinion import Treatment, treatments
from holdfast.watching.sides import LEAST_COORDINATES
from holdfast.watching.suspicion import disagreement


@dataclass(frozen=True)
class Evaluation:
    """The state of learning after a number of rounds."""

    round: int
    accuracy: float | None
    """Share of the test samples that the master's model gets right; None if the problem has no classes."""
    loss: float
    """The cost of eq. correct at the master's model: the honest workers' full losses plus f0."""
    variance: float
    """Mean over the honest workers of |x_i - mean x|^2."""
    distance: float
    """Distance to consensus: root of the mean over the honest workers of |x_i - x0|^2."""
    disagreement: list[float | None] | None = None
    """How much each participant's last message disagreed with the others' (`holdfast.watching.suspicion`): None for
    a worker that was absent, None for all where the master receives no single messages, or messages too short."""
    twins: list[int | None] | None = None
    """How many others sent the same message as each participant."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Whatever else the problem measures."""
    watched: list[Treatment] | None = None
    """What a master that judges did about each participant; None of a master that does not."""

    def to_json(self) -> dict[str, Any]:
        """Return the evaluation as strict JSON has it."""
        found = asdict(self)
        return found if self.watched is not None else {name: found[name] for name in found if name != "watched"}

    @staticmethod
    def of(values: Mapping[str, Any]) -> "Evaluation":
        """Return the evaluation that these values describe."""
        watched = values.get("watched")
        return Evaluation(**{**values, "watched": None if watched is None else [Treatment(**each) for each in watched]})

    @property
    def measured(self) -> dict[str, float]:
        """All that the problem measures, by name."""
        return ({} if self.accuracy is None else {"accuracy": self.accuracy}) | self.metrics

    @property
    def finite(self) -> bool:
        return bool(np.isfinite([self.loss, self.variance, self.distance]).all())


def evaluate(
    experiment: Experiment,
    x0: Vector,
    round: int,
    last: Messages | None,
    evaluated: Vector | None = None,
    opinion: Opinion | None = None,
) -> Evaluation:
    """Measure the master's model, the honest workers' iterates, and the messages that were received last.

    Accuracy and loss are those of another model than x0 where one is `evaluated`. `opinion` is that of a master that
    judges.
    """
    model = x0 if evaluated is None else evaluated
    problem, engine = experiment.problem, experiment.engine
    with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges is told by its infinite numbers
        spread = engine.spread(x0)
        measured = dict(problem.evaluate(model))
        told = last is not None and problem.dimension >= LEAST_COORDINATES
        shares, twins = _disagreement(experiment, last) if last and told else (None, None)
        return Evaluation(
            round=round,
            accuracy=measured.pop("accuracy", None),
            loss=problem.objective(model, engine.honest) + experiment.program.prior.value(model),
            variance=float(spread.from_mean.mean()),
            distance=float(spread.from_master.mean()) ** 0.5,
            disagreement=shares,
            twins=twins,
            metrics=measured,
            watched=None if opinion is None else treatments(opinion, engine.workers),
        )


def _disagreement(experiment: Experiment, messages: Messages) -> tuple[list[Any], list[Any]]:
    """Return both lists for all participants; None where one was absent."""
    workers, neutral = experiment.engine.workers, experiment.program.worker.neutral(messages.model)
    found = disagreement(cast(Rows | Sides, messages.rows), neutral)
    if len(messages.workers) == len(workers):
        return list(found.shares), list(found.twins)
    at = np.searchsorted(workers, messages.workers)
    shares: list[Any] = [None] * len(workers)
    twins: list[Any] = [None] * len(workers)
    for place, share, twin in zip(at, found.shares, found.twins, strict=True):
        shares[place], twins[place] = share, twin
    return shares, twins


def guessing(experiment: Experiment) -> float | None:
    """Return the share of the commonest class among the test samples: what needs no learning."""
    problem = experiment.problem
    if not isinstance(problem, Classifying) or not problem.classifies or problem.test is None:
        return None
    return float(np.unique(problem.test.targets, return_counts=True)[1].max() / len(problem.test.targets))


def ceiling(experiment: Experiment) -> float | None:
    """Return the share of the test samples whose class some honest worker holds: nobody can learn the rest."""
    problem = experiment.problem
    if not isinstance(problem, Classifying) or not problem.classifies or problem.test is None:
        return None
    held: list[NDArray[Any]] = [np.unique(problem.shards.of(worker)[1]) for worker in experiment.engine.honest]
    return float(np.isin(problem.test.targets, np.concatenate(held)).mean())
