"""The supplement's theorem (app-theorem2): the running average under step sizes that fall like 1 / sqrt k."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.methods.penalties import Penalty
from holdfast.methods.priors import Ridge
from holdfast.problems import LinearProblem
from holdfast.theory.disturbance import Disturbance
from holdfast.theory.steps import InverseSqrtSteps
from holdfast.typing import Rows, Workers


@dataclass(frozen=True, eq=False)
class Averaging:
    """The bound on E[h_p(average of x^0 ... x^k) - h_p(x*)], h_p being the cost of eq. tv-p.

    `start` is |x^0 - x*|^2 of the stacked models, as in Theorem 2.
    """

    steps: InverseSqrtSteps
    disturbance: Disturbance
    start: float

    @property
    def Delta2(self) -> float:
        return self.disturbance.Delta2(self.steps.epsilon)

    @property
    def gap(self) -> float:
        """Delta_2 / 2, to which the bound falls like log k / sqrt k."""
        return self.Delta2 / 2

    def bound(self, rounds: int) -> NDArray[np.float64]:
        """Return the bound for k = 0 to rounds - 1 (eq. app-theorem2_new_2-main).

        (start + Delta_0 sum (alpha^{tau+1})^2) / (2 sum alpha^{tau+1}) + Delta_2 / 2, sums over tau = 0 to k.
        """
        alpha = np.array([self.steps(k) for k in range(rounds)])
        paid = self.start + self.disturbance.Delta0 * np.cumsum(alpha**2)
        return np.asarray(paid / (2 * np.cumsum(alpha)) + self.gap)


class RunningAverage(NamedTuple):
    """sum alpha^{tau+1} x^tau / sum alpha^{tau+1}: the model that the supplement's theorem is about.

    A state like others: `add` returns the next one. Models may be one vector or rows.

    >>> average = RunningAverage.start(np.zeros(2))
    >>> average = average.add(np.array([1.0, 1.0]), step=0.3).add(np.array([5.0, 1.0]), step=0.1)
    >>> average.model
    array([2., 1.])
    """

    model: Rows
    weight: Rows

    @staticmethod
    def start(model: Rows) -> "RunningAverage":
        """Return the average of nothing yet, for models like this one."""
        return RunningAverage(np.zeros_like(model, dtype=np.float64), np.zeros(()))

    def add(self, model: Rows, step: float) -> "RunningAverage":
        """Return the average with x^k = `model`, where `step` is alpha^{k+1}: that of the round that starts there."""
        weight = self.weight + step
        return RunningAverage(self.model + step / weight * (model - self.model), weight)


def penalised_cost(
    problem: LinearProblem, prior: Ridge, penalty: Penalty, master: Rows, models: Rows, workers: Workers
) -> float:
    """Return h_p (eq. app-eq:tv-p): sum over the workers of F_i(x_i) + lambda |x_i - x_0|_p, plus f0(x_0)."""
    local = sum(float(problem.local_losses(model, [i])[0]) for i, model in zip(workers, models, strict=True))
    distances = np.linalg.norm(models - master, ord=penalty.p, axis=1)
    return local + penalty.weight * float(distances.sum()) + prior.value(master)
