"""The step sizes that the theorems prescribe, from the curvature of the losses."""

from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np

from holdfast.errors import InvalidInput
from holdfast.theory.assumptions import Curvature


@dataclass(frozen=True)
class InverseSteps:
    """alpha^{k+1} = min(low, high / (k + 1)), with low and high > 1 / eta from the losses (Theorem 2; RSA only).

    >>> steps = InverseSteps(low=0.5, high=3.0, eta=0.5, epsilon=0.1)
    >>> [steps(k) for k in (0, 5, 11)], steps.k0
    ([0.5, 0.5, 0.25], 5)
    """

    low: float
    """The paper's underlined alpha."""
    high: float
    """The paper's overlined alpha; any number above 1 / eta."""
    eta: float
    epsilon: float

    @staticmethod
    def of(curvature: Curvature, high: float | None = None, epsilon: float | None = None) -> "InverseSteps":
        """Return the step sizes of Theorem 2's complete form (above eq. theorem2_new_2-supp).

            low = min over i in R and the master of 1 / (2 (mu_i + L_i))
            eta = min of 2 mu_i L_i / (mu_i + L_i) over i in R, and 2 mu_0 L_0 / (mu_0 + L_0) - epsilon

        The paper leaves open epsilon between 0 and 2 mu_0 L_0 / (mu_0 + L_0): the middle unless given, which minimises
        the Byzantine workers' share Delta_2 / eta where the master's term is the smallest. It also leaves open high
        above 1 / eta: 2 / eta unless given, which minimises high^2 / (eta high - 1) in Delta_1.
        """
        _require_strongly_convex("theorem2", curvature)
        mu, L, mu0, L0 = curvature.mu, curvature.L, curvature.mu0, curvature.L0
        master = 2 * mu0 * L0 / (mu0 + L0)
        epsilon = _require_between("theorem2", master / 2 if epsilon is None else epsilon, master)
        low = min(float(np.min(1 / (2 * (mu + L)))), 1 / (2 * (mu0 + L0)))
        eta = min(float(np.min(2 * mu * L / (mu + L))), master - epsilon)
        high = 2 / eta if high is None else high
        if not 1 / eta < high < inf:
            raise InvalidInput(f"theorem2 needs a finite rate above 1 / eta = {1 / eta:g}; got {high:g}")
        return InverseSteps(low, float(high), eta, epsilon)

    @property
    def k0(self) -> int:
        """The smallest k with low >= high / (k + 1)."""
        return max(ceil(self.high / self.low) - 1, 0)

    def __call__(self, round: int) -> float:
        return min(self.low, self.high / (round + 1))


@dataclass(frozen=True)
class InverseSqrtSteps:
    """alpha^{k+1} = min(low, high / sqrt(k + 1)), with low from the losses (the supplement's theorem; RSA only).

    >>> steps = InverseSqrtSteps(low=0.5, high=1.0, epsilon=0.1)
    >>> [steps(k) for k in (0, 3, 15)]
    [0.5, 0.5, 0.25]
    """

    low: float
    high: float
    """Any positive number."""
    epsilon: float

    @staticmethod
    def of(curvature: Curvature, high: float | None = None, epsilon: float | None = None) -> "InverseSqrtSteps":
        """Return the step sizes of the O(1 / sqrt k) theorem (app-theorem2).

            low = min of mu_i / (4 L_i^2) over i in R, and (mu_0 - epsilon) / (4 L_0^2)

        Unless given, epsilon is in the middle between 0 and mu_0, and high = low: then alpha^{k+1} = low / sqrt(k + 1).
        """
        _require_strongly_convex("theorem-sqrt", curvature)
        mu, L, mu0, L0 = curvature.mu, curvature.L, curvature.mu0, curvature.L0
        epsilon = _require_between("theorem-sqrt", mu0 / 2 if epsilon is None else epsilon, mu0)
        low = min(float(np.min(mu / (4 * L**2))), (mu0 - epsilon) / (4 * L0**2))
        high = low if high is None else high
        if not 0 < high < inf:
            raise InvalidInput(f"rate must be positive and finite; got {high}")
        return InverseSqrtSteps(low, float(high), epsilon)

    def __call__(self, round: int) -> float:
        return min(self.low, self.high / sqrt(round + 1))


Steps = InverseSteps | InverseSqrtSteps

REGISTRY: dict[str, type[Steps]] = {"theorem2": InverseSteps, "theorem-sqrt": InverseSqrtSteps}
"""Schedules by name, as in `holdfast.methods.schedules`, made from the losses; a given rate is their `high`."""


def _require_strongly_convex(theorem: str, curvature: Curvature) -> None:
    if curvature.flat:
        must = "strongly convex losses, mu_i > 0 for every worker and the master"
        raise InvalidInput(f"{theorem} needs {must}; got {curvature.flat}")


def _require_between(theorem: str, epsilon: float, most: float) -> float:
    if not 0 < epsilon < most:
        raise InvalidInput(f"{theorem} needs epsilon between 0 and {most:g}; got {epsilon:g}")
    return epsilon
