"""All theorems for one setting of RSA: their constants, what each needs, and whether it applies."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.methods.penalties import Penalty
from holdfast.methods.priors import Ridge
from holdfast.problems import LinearProblem, solvable
from holdfast.theory.assumptions import Curvature, variance_bound
from holdfast.theory.consensus import Delta3, lambda0
from holdfast.theory.convergence import Averaging, Convergence, Disturbance
from holdfast.theory.steps import InverseSqrtSteps, InverseSteps
from holdfast.typing import Json, Vector

logger = logging.getLogger(__name__)
TOLERANCE, EVALUATIONS, WORK = 1e-6, 2000, 2e10
"""When the search for the optimum ends: at this largest gradient entry, or after so many gradients, or so many
multiplications (samples x outputs x features) spent on them. The last is 42 gradients on all of MNIST, where lambda_0
is then off by 1 or 2 %; `optimum_gradient` says how near it came."""


class Verdict(NamedTuple):
    """Whether a theorem applies, and why."""

    needs: str
    holds: bool
    why: str


@dataclass(frozen=True, eq=False)
class Guarantees:
    """What the paper promises to RSA with this penalty on these honest workers, with q Byzantine ones."""

    penalty: Penalty
    byzantine: int
    optimum: Vector
    """Of eq. correct."""
    optimum_loss: float
    optimum_gradient: float
    """The largest gradient entry that is left there: 0 if the optimum were exact."""
    lambda0_per_worker: NDArray[np.float64]
    curvature: Curvature
    radius: float
    """|x^0 - x~*|: for least squares `disturbance` holds while the honest models are no farther from the optimum."""
    disturbance: Disturbance
    Delta3: float
    """A bound on |x* - [x~*]|^2; 0 from lambda_0 on, infinite if there is none."""
    start: float
    """A bound on |x^0 - x*|^2, all models stacked: exact from lambda_0 on."""
    convergence: Convergence | None
    averaging: Averaging | None

    @staticmethod
    def of(
        problem: LinearProblem,
        prior: Ridge,
        penalty: Penalty,
        honest: Iterable[int],
        byzantine: int,
        *,
        high: float | None = None,
        sqrt_high: float | None = None,
    ) -> "Guarantees":
        """Return them for training from `problem.start()`; the highs are the two theorems' overlined alphas."""
        problem = solvable(problem, "theory")
        ids = [int(worker) for worker in honest]
        logger.info("measuring the curvature of %d workers' losses", len(ids))
        curvature = Curvature.of(problem, prior, ids)
        samples = sum(len(problem.shards.of(worker)[1]) for worker in ids)
        evaluations = min(EVALUATIONS, max(int(WORK / samples / problem.dimension), 1))
        logger.info("looking for the optimum on %d samples, with at most %d gradients", samples, evaluations)
        optimum = problem.optimum(prior, ids, TOLERANCE, evaluations)
        logger.info("measuring gradients and their variance at the optimum")
        gradients = problem.local_gradients(optimum, ids).astype(np.float64)
        radius = float(np.linalg.norm(problem.start() - optimum))
        disturbance = Disturbance(
            variance_bound(problem, ids, optimum, radius), penalty.weight, byzantine, problem.dimension
        )
        asked = lambda0(gradients, penalty.p)
        delta3 = 0.0 if penalty.weight >= asked.max() else Delta3(gradients, penalty.p, penalty.weight, curvature.least)
        start = (sqrt(len(ids) + 1) * radius + sqrt(delta3)) ** 2
        sound = not curvature.flat
        return Guarantees(
            penalty=penalty,
            byzantine=byzantine,
            optimum=optimum,
            optimum_loss=problem.objective(optimum, ids) + prior.value(optimum),
            optimum_gradient=float(np.abs(gradients.sum(axis=0) + prior.gradient(optimum)).max()),
            lambda0_per_worker=asked,
            curvature=curvature,
            radius=radius,
            disturbance=disturbance,
            Delta3=delta3,
            start=start,
            convergence=Convergence(InverseSteps.of(curvature, high), disturbance, start) if sound else None,
            averaging=Averaging(InverseSqrtSteps.of(curvature, sqrt_high), disturbance, start) if sound else None,
        )

    @property
    def lambda0(self) -> float:
        return float(self.lambda0_per_worker.max())

    def verdicts(self) -> dict[str, Verdict]:
        """Return what each theorem needs, and whether it applies."""
        names = ("theorem2", "theorem3", "theorem-sqrt")
        return {"theorem1": self._consensus()} | {name: self._rate(name) for name in names}

    def _rate(self, name: str) -> Verdict:
        needs = "strongly convex losses, mu_i > 0 for every worker and the master"
        if self.convergence is None:
            return Verdict(needs, False, f"no guarantee: {self.curvature.flat}")
        why = f"applies with its step size, while honest models stay within {self.radius:.3g} of the optimum"
        if name == "theorem3" and self.Delta3 > 0:
            why += f"; lambda < lambda_0, so up to |x* - [x~*]|^2 <= {self.Delta3:.3g}"
        if name != "theorem-sqrt" and self.convergence.gap >= self.start:
            why += f"; says nothing new, its gap {self.convergence.gap:.3g} exceeds |x^0 - x*|^2 = {self.start:.3g}"
        return Verdict(needs, True, why)

    def _consensus(self) -> Verdict:
        weight, needs = self.penalty.weight, "lambda >= lambda_0, and only one optimum"
        if weight < self.lambda0:
            return Verdict(needs, False, f"no guarantee: lambda = {weight:.4g} < lambda_0 = {self.lambda0:.4g}")
        if self.curvature.mu0 == 0 and self.curvature.flat:
            return Verdict(needs, False, f"no guarantee: {self.curvature.flat}, the optimum may not be the only one")
        return Verdict(needs, True, f"applies: lambda = {weight:.4g} >= lambda_0 = {self.lambda0:.4g}")

    def to_json(self) -> Json:
        """Return what `holdfast theory --json` prints; null where a constant does not exist."""
        convergence, averaging, curvature = self.convergence, self.averaging, self.curvature
        steps, slower = convergence and convergence.steps, averaging and averaging.steps
        return {
            "norm": self.penalty.p if isfinite(self.penalty.p) else "inf",
            "penalty": self.penalty.weight,
            "byzantine": self.byzantine,
            "honest": list(curvature.workers),
            "dimension": self.disturbance.dimension,
            "optimum_loss": self.optimum_loss,
            "optimum_gradient": self.optimum_gradient,
            "lambda0": self.lambda0,
            "lambda0_median": float(np.median(self.lambda0_per_worker)),
            "lambda0_per_worker": self.lambda0_per_worker.tolist(),
            "mu": curvature.mu.tolist(),
            "L": curvature.L.tolist(),
            "mu0": curvature.mu0,
            "L0": curvature.L0,
            "delta2": self.disturbance.variances.tolist(),
            "radius": self.radius,
            "Delta0": self.disturbance.Delta0,
            "Delta3": self.Delta3 if isfinite(self.Delta3) else None,
            "start": self.start if isfinite(self.start) else None,
            "eta": steps and steps.eta,
            "epsilon": steps and steps.epsilon,
            "alpha_low": steps and steps.low,
            "alpha_high": steps and steps.high,
            "k0": steps and steps.k0,
            "Delta1": convergence and convergence.Delta1,
            "Delta2": convergence and convergence.Delta2,
            "gap": convergence and convergence.gap,
            "sqrt_epsilon": slower and slower.epsilon,
            "sqrt_alpha_low": slower and slower.low,
            "sqrt_alpha_high": slower and slower.high,
            "sqrt_Delta2": averaging and averaging.Delta2,
            "sqrt_gap": averaging and averaging.gap,
            "guarantees": {name: verdict._asdict() for name, verdict in self.verdicts().items()},
        }
