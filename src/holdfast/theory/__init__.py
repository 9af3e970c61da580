"""The paper's theorems as tools: when models agree, how large steps may be, and how far from the optimum RSA ends."""

from holdfast.theory.averaging import Averaging, RunningAverage, penalised_cost
from holdfast.theory.consensus import NORMS, Delta3, dual, lambda0
from holdfast.theory.convergence import Convergence
from holdfast.theory.curvature import Curvature
from holdfast.theory.disturbance import Disturbance
from holdfast.theory.guarantees import Guarantees
from holdfast.theory.steps import InverseSqrtSteps, InverseSteps
from holdfast.theory.variance import variance, variance_bound
