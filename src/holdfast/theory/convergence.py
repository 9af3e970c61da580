"""What keeps RSA from its optimum: samples that vary, a penalty that is not smooth, and Byzantine workers."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast.errors import InvalidInput
from holdfast.methods.penalties import Penalty
from holdfast.methods.priors import Ridge
from holdfast.problems import LinearProblem
from holdfast.theory.steps import InverseSqrtSteps, InverseSteps
from holdfast.typing import Rows, Workers


@dataclass(frozen=True, eq=False)
class Disturbance:
    """The constants Delta_0 and Delta_2 of eq. app-eq.const, for r honest and q Byzantine workers.

    >>> calm = Disturbance(variances=np.array([1.0, 2.0]), penalty=0.5, byzantine=3, dimension=10)
    >>> calm.Delta0, calm.Delta2(epsilon=0.1)
    (291.0, 225.0)
    """

    variances: NDArray[np.float64]
    """delta_i^2 of the r honest workers."""
    penalty: float
    """lambda."""
    byzantine: int
    """q, the actual number of Byzantine workers."""
    dimension: int
    """d. A subgradient's entries are at most 1, so the proofs bound its squared length by d: tight for l1 only. For
    p >= 2 the length is at most 1 and everything holds with 1 in place of d."""

    @property
    def Delta0(self) -> float:
        """16 lambda^2 r d + 16 lambda^2 r^2 d + 2 lambda^2 q^2 d + 2 sum_i delta_i^2."""
        r, q, each = len(self.variances), self.byzantine, self.penalty**2 * self.dimension
        return 16 * each * r + 16 * each * r**2 + 2 * each * q**2 + 2 * float(self.variances.sum())

    def Delta2(self, epsilon: float) -> float:
        """lambda^2 q^2 d / epsilon: what the Byzantine workers cost, quadratic in their number."""
        return self.penalty**2 * self.byzantine**2 * self.dimension / epsilon


Bound = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Convergence:
    """The bounds of Theorems 2 and 3 on E|x^k - x*|^2, for the stacked models of the master and all honest workers.

    `start` is |x^0 - x*|^2 of the stacked models, x* the solution of eq. tv-p: at lambda >= lambda_0 it is the optimum
    of eq. correct, once per model. Iterates are numbered as in the paper: x^k is the model after k rounds.
    """

    steps: InverseSteps
    disturbance: Disturbance
    start: float

    @property
    def Delta2(self) -> float:
        return self.disturbance.Delta2(self.steps.epsilon)

    @cached_property
    def Delta1(self) -> float:
        """max of high^2 Delta_0 / (eta high - 1) and (k0 + 1) E|x^k0 - x*|^2 + high^2 Delta_0 / (k0 + 1).

        The paper leaves E|x^k0 - x*|^2 in it, which is not known beforehand. We take the first regime's bound on it:
        Delta_1 is then at least the paper's, and the induction that needs Delta_1 large enough holds.
        """
        high, eta, k0, Delta0 = self.steps.high, self.steps.eta, self.steps.k0, self.disturbance.Delta0
        at_k0 = self.start if k0 == 0 else float(self._early(np.array(k0)))
        return max(high**2 * Delta0 / (eta * high - 1), (k0 + 1) * at_k0 + high**2 * Delta0 / (k0 + 1))

    @property
    def gap(self) -> float:
        """high * Delta_2, to which the bound falls: the asymptotic sub-optimality, quadratic in q."""
        return self.steps.high * self.Delta2

    def theorem2(self, iterates: ArrayLike) -> Bound:
        """Return the bound on E|x^k - x*|^2 for these k (eqs. theorem2_new_2-supp and theorem2_10-supp).

        The paper bounds x^{k+1}: by (1 - eta low)^k start + (low Delta_0 + Delta_2) / eta if k < k0, by
        Delta_1 / (k + 1) + high Delta_2 from k0 on. x^0 is its own bound. (Telescoping eq. theorem2_new_1 gives the
        power k + 1; the stated k is weaker and true.)
        """
        k = _numbers(iterates)
        late = self.Delta1 / np.maximum(k, 1) + self.gap
        bound: Bound = np.where(k <= self.steps.k0, self._early(k), late)
        return np.where(k == 0, self.start, bound)

    def _early(self, k: NDArray[np.int64]) -> Bound:
        """x^k with k = (paper's k) + 1 at most k0."""
        low, eta = self.steps.low, self.steps.eta
        rest = (low * self.disturbance.Delta0 + self.Delta2) / eta
        return np.asarray((1 - eta * low) ** np.maximum(k - 1, 0) * self.start + rest)

    def recursion(self, rounds: int) -> Bound:
        """Return the bound on E|x^k - x*|^2, k = 0 to rounds, that eq. theorem2_8 gives step by step.

        Both regimes of Theorem 2 are simplifications of this; nothing that the proof shows is tighter.
        """
        bounds = np.empty(rounds + 1)
        bounds[0] = self.start
        for k in range(rounds):
            step = self.steps(k)
            shrunk = (1 - self.steps.eta * step) * bounds[k]
            bounds[k + 1] = shrunk + step**2 * self.disturbance.Delta0 + step * self.Delta2
        return bounds

    def theorem3(self, iterates: ArrayLike, Delta3: float = 0.0) -> Bound:
        """Return the bound on E|x^k - [x~*]|^2 for these k >= k0, x~* being the optimum of eq. correct.

        At lambda >= lambda_0 it is Delta_1 / (k + 1) + high Delta_2 (eq. the3). Below, `Delta3` bounds |x* - [x~*]|^2
        and the bound is 2 Delta_1 / (k + 1) + 2 high Delta_2 + 2 Delta_3 (eq. the3-1).

        Theorem 3 says of x^k what Theorem 2 says of x^{k+1}, and its proof does not mend that. It is true: start the
        induction of eq. theorem2_10 at E|x^k0 - x*|^2 <= Delta_1 / (k0 + 1); eq. theorem2_new_3 then gives
        E|x^{k+1} - x*|^2 <= Delta_1 k / (k + 1)^2 + high Delta_2, and k / (k + 1)^2 <= 1 / (k + 2).
        """
        k = _numbers(iterates)
        if k.size and k.min() < self.steps.k0:
            raise InvalidInput(f"Theorem 3 speaks of k >= k0 = {self.steps.k0}; got {k.min()}")
        bound = self.Delta1 / (k + 1) + self.gap
        return bound if Delta3 == 0 else 2 * bound + 2 * Delta3


def _numbers(iterates: ArrayLike) -> NDArray[np.int64]:
    k = np.asarray(iterates, dtype=np.int64)
    if k.size and k.min() < 0:
        raise InvalidInput(f"iterates are numbered from 0; got {k.min()}")
    return k


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
