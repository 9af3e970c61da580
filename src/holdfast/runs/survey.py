"""What each worker measures alone before a run: how much it gains by learning, and how long a step may be.

docs/automatic.md derives lambda and alpha from the medians of these reports.
"""

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from holdfast.methods.penalties import Penalty, penalty
from holdfast.problems import LinearProblem, ModuleProblem, Problem, bounds_gradients
from holdfast.typing import Oracle, Rows, Vector, Workers

STEPS = 64
"""Accelerated steps that a worker takes alone; on MNIST the price no longer changes after 40."""
PACE = 1 / 8
"""The share of the longest step with which it walks where the problem is not linear.

The curvature at a network's start says little about the way: on a CNN steps that are stable there go three to six
times as far as |x_0| for what a shorter walk gains, and the price is the less for it.
"""
BATCH = 128
"""Samples in each of them, and in the sample that losses and curvature are measured on."""
SHARE = 1 / 3
"""The most that Byzantine workers may take of what there is to learn. All else comes from the data."""
SHARE_BEYOND_L1 = 1 / 4
"""The same for other norms than l1, where the gradient of the loss is bounded; docs/automatic.md says why."""

Reports = NDArray[np.float64]
"""Price, reach and curvature of each worker, `(n, 3)`."""


@dataclass(frozen=True)
class Surveyor:
    """A worker that learns alone for a while and sends three numbers instead of a model.

    With x_1, x_2, ... the models on its way from x_0 and g_t = F_i(x_0) - F_i(x_t) what it has gained by then,

        price     = max over t of (g_t - (1 - share) max g) / |x_t - x_0|_p
        reach     = |x_t - x_0|_inf / |z|_inf at that t, z in d|x_t - x_0|_p
        curvature = weight * (largest second derivative of the loss) * (largest eigenvalue of the mean of a a')

    The price is the largest lambda at which some model still has 1 - share of the gain left after the penalty
    lambda |x - x_0|_p. The reach is how many steps as long as a pull z it takes to that model. The curvature bounds
    the Hessian of F_i; a runs over the samples with their bias feature. Of a problem that is not linear it is an
    estimate at the start, and losses are dear: there every EVERY-th model counts, on a walk of shorter steps.
    """

    measured: "Sampled | Probed"
    """What tells losses and curvatures."""
    workers: Workers
    norm: Penalty
    steps: NDArray[np.int64]
    """Which models on the way count."""
    share: float = SHARE
    pace: float = 1.0
    """The share of the longest step that is taken."""

    @staticmethod
    def of(problem: Problem, workers: Workers, norm: float | Penalty) -> "Surveyor":
        one = penalty(norm, 1.0)
        share = SHARE_BEYOND_L1 if bounds_gradients(problem) and one.p > 1 else SHARE
        if isinstance(problem, LinearProblem):
            return Surveyor(Sampled(problem.thin(BATCH)), workers, one, np.arange(STEPS), share)
        few = problem.thin(BATCH) if isinstance(problem, ModuleProblem) else problem
        return Surveyor(Probed(few), workers, one, np.arange(EVERY - 1, STEPS, EVERY), share, PACE)

    def measure(self, start: Vector, oracle: Oracle) -> Reports:
        """Return the three numbers of each worker that learns from `start`."""
        curvatures = self.measured.curvatures(start, oracle, self.workers)
        gains, lengths, reaches = self._walk(start, oracle, curvatures / self.pace)
        left = gains - (1 - self.share) * gains.max(axis=0).clip(min=0)
        prices = np.divide(left, lengths, out=np.zeros_like(left), where=lengths > 0)
        best = prices.argmax(axis=0), np.arange(len(self.workers))
        return np.stack([prices[best].clip(min=0), reaches[best], curvatures], axis=1)

    def _walk(self, start: Vector, oracle: Oracle, curvatures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return gain, length and reach of every model that counts, each of shape `(len(steps), n)`."""
        rates = (1 / curvatures).astype(start.dtype)[:, np.newaxis]
        models = ahead = np.tile(start, (len(self.workers), 1))
        before = self.measured.losses(models, self.workers)
        gains, lengths, reaches = seen = np.empty((3, len(self.steps), len(self.workers)))
        for k in range(STEPS):
            moved = ahead - rates * oracle(ahead, k)
            ahead = moved + (k / (k + 3)) * (moved - models)  # Nesterov (1983)
            models = moved
            if k not in self.steps:
                continue
            way, at = models - start, np.searchsorted(self.steps, k)
            gains[at] = before - self.measured.losses(models, self.workers)
            lengths[at] = self.norm.values(way)
            reaches[at] = _largest(way) / _largest(self.norm.subgradient(way)).clip(min=np.finfo(way.dtype).tiny)
        gains[~np.isfinite(gains)] = -np.inf  # a walk that overflows gains nothing more
        return seen


@dataclass(frozen=True)
class Sampled:
    """A linear problem, thinned to the samples on which losses and curvature are measured."""

    problem: LinearProblem

    def losses(self, models: Rows, workers: Workers) -> NDArray[np.float64]:
        return self.problem.own_losses(models, workers)

    def curvatures(self, start: Vector, oracle: Oracle, workers: Workers) -> NDArray[np.float64]:
        """Return L_i as `holdfast.theory.Curvature` does, from the products of samples, which are few here."""
        problem = self.problem
        samples = (problem.shards.of(worker)[0].astype(np.float64) * problem.shards.scale for worker in workers)
        largest = [np.linalg.eigvalsh(rows @ rows.T + 1)[-1] / len(rows) for rows in samples]  # + 1: the bias feature
        return problem.weight * problem.curvature_bounds[1] * np.array(largest)


def _largest(rows: Rows) -> Vector:
    largest: Vector = np.abs(rows).max(axis=1)
    return largest


EVERY = 8
"""Losses are measured after every so many steps: one costs a worker a pass through its samples."""
TURNS = 10
"""Gradients that the largest eigenvalue is estimated from."""
CHANGE = 0.1
"""How much of a gradient a probing step shall change: much more than rounding, but so little that the Hessian stays."""


@dataclass(frozen=True)
class Probed:
    """A problem of which only gradients and objective are known."""

    problem: Problem

    def losses(self, models: Rows, workers: Workers) -> NDArray[np.float64]:
        """Return the full local losses F_i(x_i) of these workers, each at the model in its own row."""
        pairs = zip(models, workers.tolist(), strict=True)
        return np.array([self.problem.objective(model, [worker]) for model, worker in pairs])

    def curvatures(self, start: Vector, oracle: Oracle, workers: Workers) -> NDArray[np.float64]:
        """Return the largest eigenvalues, by size, of the minibatches' Hessians at the start: power iteration.

        H v is (g(x + h v) - g(x)) / h with the same minibatch twice, since randomness is addressed by the round.
        """
        models = np.tile(start, (len(workers), 1))
        gradients = np.asarray(oracle(models, 0), np.float64)
        found, lengths = np.zeros(len(workers)), _lengths(gradients)
        ways = gradients / np.where(lengths > 0, lengths, 1)[:, np.newaxis]
        steps = np.full(len(workers), 1e-3 * max(float(np.linalg.norm(start)), 1.0))
        for _ in range(TURNS):
            ahead = (models + steps[:, np.newaxis] * ways).astype(start.dtype)
            change = np.asarray(oracle(ahead, 0), np.float64) - gradients
            sizes = _lengths(change)
            changed = np.isfinite(sizes) & (sizes > 0)
            found[changed] = sizes[changed] / steps[changed]
            ways[changed] = change[changed] / sizes[changed, np.newaxis]
            steps[changed] = CHANGE * lengths[changed] / found[changed]
        return found.clip(min=np.finfo(start.dtype).tiny)


def _lengths(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(rows, axis=1))


class Surveys:
    """The reports of honest workers on problems: the same under every attack.

    A survey takes 0.1 s of processor time on digits, 1 s for an MLP there.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Problem, dict[tuple[float | Penalty, bytes], Rows]] = WeakKeyDictionary()

    def measure(self, problem: Problem, workers: Workers, norm: float | Penalty) -> Rows:
        """Return the reports of these workers if all are honest."""
        if not isinstance(problem, LinearProblem | ModuleProblem):  # one from outside need not answer the same twice
            return _survey(problem, problem, workers, norm)
        known, asked = self._known.setdefault(problem, {}), (norm, workers.tobytes())
        if asked not in known:
            known[asked] = _survey(problem, replace(problem, batch=BATCH), workers, norm)
            known[asked].flags.writeable = False
        return known[asked]


def _survey(problem: Problem, larger: Problem, workers: Workers, norm: float | Penalty) -> Rows:
    """Return what these workers measure, with the larger minibatches of the same problem."""
    with np.errstate(over="ignore", invalid="ignore"):  # a walk may overflow
        return Surveyor.of(problem, workers, norm).measure(problem.start(), larger.oracle(workers))
