"""Methods: each a frozen dataclass that makes a program. Every rule on gradients is one, too."""

from holdfast.methods.admm import RsaAdmm
from holdfast.methods.aggregated import Aggregated, IdealSgd
from holdfast.methods.method import AUTO, Method, Setting
from holdfast.methods.names import (
    DEFAULT,
    REGISTRY,
    make_method,
    method_labels,
    method_name,
    method_table,
    method_text,
)
from holdfast.methods.penalties import L1, L2, PENALTIES, LInf, Lp, Penalty, make_norm, penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.program import Element, Program, Served, tell, try_fewer
from holdfast.methods.reduction import WithLsvrg, WithSaga, with_reduction
from holdfast.methods.rsa import IdealRsa, Rsa
from holdfast.methods.schedules import Constant, ConstantThenLinear, Cosine, Inverse, InverseSqrt
from holdfast.methods.sums import PenaltySum, Total, VoteSum, Weigh
from holdfast.methods.watchful import WatchfulRsa
from holdfast.methods.workers import GradientWorker, PenalisedWorker, WithMomentum
