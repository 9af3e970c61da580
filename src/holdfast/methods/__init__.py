"""Methods: each a frozen dataclass that makes a worker rule and a master rule. Every rule on gradients is one, too."""

from holdfast.methods.admm import RsaAdmm
from holdfast.methods.aggregated import Aggregated, IdealSgd
from holdfast.methods.base import Method, Reading, Setting, as_sent
from holdfast.methods.masters import AggregateSum, Descent, PenaltySum, TallySum
from holdfast.methods.names import (
    REGISTRY,
    make_method,
    method_labels,
    method_name,
    method_parts,
    method_table,
    method_text,
)
from holdfast.methods.penalties import L1, L2, LInf, Lp, Penalty, penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.reduction import WithLsvrg, WithSaga, with_reduction
from holdfast.methods.rsa import AUTO, IdealRsa, Rsa, with_penalty
from holdfast.methods.schedules import Constant, ConstantThenLinear, Cosine, Inverse, InverseSqrt
from holdfast.methods.watchful import WatchfulRsa
from holdfast.methods.workers import GradientWorker, PenalisedWorker, WithMomentum

__all__ = [
    "AUTO",
    "L1",
    "L2",
    "REGISTRY",
    "AggregateSum",
    "Aggregated",
    "Constant",
    "ConstantThenLinear",
    "Cosine",
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
    "RsaAdmm",
    "Setting",
    "TallySum",
    "WatchfulRsa",
    "WithLsvrg",
    "WithMomentum",
    "WithSaga",
    "as_sent",
    "make_method",
    "method_labels",
    "method_name",
    "method_parts",
    "method_table",
    "method_text",
    "penalty",
    "with_penalty",
    "with_reduction",
]
