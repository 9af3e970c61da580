"""Methods by name: each a frozen dataclass that makes a worker rule and a master rule. Every rule is a method, too."""

from typing import Any

from holdfast import aggregators
from holdfast.methods.aggregated import Aggregated, IdealSgd
from holdfast.methods.base import Method, Reading, Setting, as_sent
from holdfast.methods.masters import AggregateSum, Descent, PenaltySum, TallySum
from holdfast.methods.penalties import L1, L2, LInf, Lp, Penalty, penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.rsa import AUTO, IdealRsa, Rsa
from holdfast.methods.schedules import Constant, Inverse, InverseSqrt
from holdfast.methods.workers import GradientWorker, PenalisedWorker, WithMomentum

NAMED: dict[str, type[Method]] = {"rsa": Rsa, "ideal-rsa": IdealRsa, "ideal-sgd": IdealSgd}
"""The methods that are more than a rule on gradients."""
RULES: dict[str, Any] = {"sgd" if name == "mean" else name: rule for name, rule in aggregators.REGISTRY.items()}
"""Every rule on gradients is a method of the same name, but for the mean, which the paper calls SGD."""

__all__ = [
    "AUTO",
    "L1",
    "L2",
    "NAMED",
    "RULES",
    "AggregateSum",
    "Aggregated",
    "Constant",
    "Descent",
    "GradientWorker",
    "IdealRsa",
    "IdealSgd",
    "Inverse",
    "InverseSqrt",
    "LInf",
    "Lp",
    "Method",
    "PenalisedWorker",
    "Penalty",
    "PenaltySum",
    "Reading",
    "Ridge",
    "Rsa",
    "Setting",
    "TallySum",
    "WithMomentum",
    "as_sent",
    "penalty",
]
