"""What is measured at an evaluation: each metric is one function. docs/method.md defines each of them.

A metric that is added to `METRICS` is in records, tables, data frames, pages and progress lines from then on.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from holdfast.problems import ACCURACY, declared_score, find_classes
from holdfast.runs.experiment import Experiment
from holdfast.typing import Json, Messages, Rows, Sides, Vector
from holdfast.watching import Opinion
from holdfast.watching.opinion import Treatment, treatments
from holdfast.watching.sides import LEAST_COORDINATES
from holdfast.watching.suspicion import disagreement


class Moment(NamedTuple):
    """What a metric may look at."""

    experiment: Experiment
    model: Vector
    """The model that is measured: x0, or the average of x0."""
    from_mean: NDArray[np.float64]
    """|x_i - mean x|^2 of each honest worker."""
    from_master: NDArray[np.float64]
    """|x_i - x0|^2 of each honest worker."""


Metric = Callable[[Moment], float | None]
"""Returns a number, or None where the metric does not apply; a number that is not finite counts as None."""


def measure_loss(moment: Moment) -> float:
    """Return the cost of eq. correct at the measured model: the honest workers' full losses plus f0."""
    problem, honest = moment.experiment.problem, moment.experiment.engine.honest
    return float(problem.objective(moment.model, honest) + moment.experiment.program.prior.value(moment.model))


def measure_variance(moment: Moment) -> float:
    """Return the mean over the honest workers of |x_i - mean x|^2."""
    return float(moment.from_mean.mean())


def measure_distance(moment: Moment) -> float:
    """Return the distance to consensus: root of the mean over the honest workers of |x_i - x0|^2."""
    return float(float(moment.from_master.mean()) ** 0.5)


METRICS: dict[str, Metric] = {"loss": measure_loss, "variance": measure_variance, "distance": measure_distance}
"""What is measured besides the problem's own metrics (accuracy, R2, ...)."""


@dataclass(frozen=True)
class Evaluation:
    """The state of learning after a number of rounds."""

    round: int
    accuracy: float | None
    """Share of the test samples that the master's model gets right; None if the problem has no classes."""
    loss: float
    variance: float
    distance: float
    disagreement: list[float | None] | None = None
    """How much each participant's last message disagreed with the others' (`holdfast.watching.suspicion`): None for
    a worker that was absent, None for all where the master receives no single messages, or messages too short."""
    twins: list[int | None] | None = None
    """How many others sent the same message as each participant."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Every other metric, by name."""
    watched: list[Treatment] | None = None
    """What a master that judges did about each participant; None of a master that does not."""

    def to_json(self) -> Json:
        """Return the evaluation as strict JSON has it."""
        found = asdict(self)
        return found if self.watched is not None else {name: found[name] for name in found if name != "watched"}

    @staticmethod
    def of(values: Mapping[str, Any]) -> "Evaluation":
        """Return the evaluation that these values describe."""
        watched = values.get("watched")
        return Evaluation(**{**values, "watched": None if watched is None else [Treatment(**each) for each in watched]})

    @staticmethod
    def of_values(round: int, values: Mapping[str, float], **about: Any) -> "Evaluation":
        """Return the evaluation with these metrics by name."""
        own = {name: values.get(name) for name in FIELDS}
        return Evaluation(
            round=round,
            metrics={name: value for name, value in values.items() if name not in own},
            **cast(dict[str, Any], own),
            **about,
        )

    @property
    def values(self) -> dict[str, float]:
        """Every metric by name: the problem's own first."""
        own = vars(self) | self.metrics
        return self.measured | {name: own[name] for name in METRICS if name in own}

    @property
    def measured(self) -> dict[str, float]:
        """The problem's own metrics by name."""
        own = {name: value for name, value in self.metrics.items() if name not in METRICS}
        return ({} if self.accuracy is None else {"accuracy": self.accuracy}) | own

    @property
    def finite(self) -> bool:
        return bool(np.isfinite([self.loss, self.variance, self.distance]).all())


FIELDS = ("accuracy", "loss", "variance", "distance")
"""Metrics that are fields of an evaluation."""


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
    with np.errstate(over="ignore", invalid="ignore"):  # infinite numbers mark a run that diverges
        moment = Moment(experiment, model, *engine.spread(x0))
        own = {name: value for name, metric in METRICS.items() if (value := metric(moment)) is not None}
        comparable = last is not None and problem.dimension >= LEAST_COORDINATES
        shares, twins = _disagreement(experiment, last) if last and comparable else (None, None)
        every = dict(problem.evaluate(model)) | own
        return Evaluation.of_values(
            round,
            {name: value for name, value in every.items() if name in FIELDS or np.isfinite(value)},
            disagreement=shares,
            twins=twins,
            watched=None if opinion is None else treatments(opinion, engine.workers),
        )


def _disagreement(experiment: Experiment, messages: Messages) -> tuple[list[float | None], list[int | None]]:
    """Return both lists for all participants; None where one was absent."""
    workers, neutral = experiment.engine.workers, experiment.program.worker.neutral(messages.model)
    found = disagreement(cast(Rows | Sides, messages.rows), neutral)
    if len(messages.workers) == len(workers):
        return list(found.shares), list(found.twins)
    at = np.searchsorted(workers, messages.workers)
    shares: list[float | None] = [None] * len(workers)
    twins: list[int | None] = [None] * len(workers)
    for place, share, twin in zip(at, found.shares, found.twins, strict=True):
        shares[place], twins[place] = share, twin
    return shares, twins


def measure_guessing(experiment: Experiment) -> float | None:
    """Return the score that needs no learning: the share of the test samples' commonest class, or 0 for R2."""
    score, found = declared_score(experiment.problem), find_classes(experiment.problem)
    if found is None or score.name != ACCURACY.name:
        return score.guessing
    _, test = found
    return float(np.unique(test.targets, return_counts=True)[1].max() / len(test.targets))


def measure_ceiling(experiment: Experiment) -> float | None:
    """Return the share of the test samples whose class some honest worker holds: no method can learn the rest."""
    if (found := find_classes(experiment.problem)) is None:
        return None
    problem, test = found
    classes = np.concatenate([np.unique(problem.shards.of(worker)[1]) for worker in experiment.engine.honest])
    return float(np.isin(test.targets, classes).mean())
