"""The paper's theorems as tools: when models agree, how large steps may be, and how far from the optimum RSA ends."""

from holdfast.theory.assumptions import Curvature, variance, variance_bound
from holdfast.theory.consensus import NORMS, Delta3, dual, lambda0
from holdfast.theory.convergence import Averaging, Convergence, Disturbance, RunningAverage, penalised_cost
from holdfast.theory.guarantees import Guarantees
from holdfast.theory.steps import InverseSqrtSteps, InverseSteps
