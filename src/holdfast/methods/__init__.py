"""The methods by name: each a worker rule, a master rule, and who takes part."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from holdfast.aggregators import GeometricMedian, Krum, Mean, Median, TrimmedMean
from holdfast.errors import InvalidInput
from holdfast.methods.masters import Descent, Pull, Total, Votes
from holdfast.methods.penalties import L1, Penalty
from holdfast.methods.priors import Ridge
from holdfast.methods.workers import GradientWorker, PenalisedWorker, Reply
from holdfast.typing import Aggregate, Method, Schedule


def rsa(
    penalty: Penalty, rate: Schedule, prior: Ridge, reply: Reply = "current", *, steps: int = 1, bits: bool = False
) -> Method:
    """Byzantine-robust stochastic aggregation (Li et al., 2019, Algorithm 2).

    With `bits` the master reads a tally of sides, all that the l1 penalty ever uses of a model.
    """
    return Method(
        PenalisedWorker(penalty, rate, reply, steps),
        Descent(Votes(_l1(penalty)) if bits else Pull(penalty), rate, prior),
    )


def _l1(penalty: Penalty) -> L1:
    if not isinstance(penalty, L1):
        raise InvalidInput(f"one bit a coordinate carries RSA with norm 1 only; got {penalty}")
    return penalty


def robust_sgd(rule: Aggregate, rate: Schedule, prior: Ridge) -> Method:
    """Distributed SGD whose master aggregates the gradients by `rule` (eq. aggsgd)."""
    return Method(GradientWorker(), Descent(Total(rule), rate, prior))


class Settings(NamedTuple):
    """What the methods need to be told; each takes what it uses."""

    penalty: Penalty
    rate: Schedule
    prior: Ridge
    byzantine: int
    """The number of Byzantine workers that rules are told, true or not."""
    reply: Reply
    steps: int
    """Worker steps a round."""
    bits: bool
    """Whether workers send one bit a coordinate."""


class Recipe(NamedTuple):
    """How a method is made, who takes part in it, and what workers send."""

    summary: str
    build: Callable[[Settings], Method]
    crew: Literal["attacked", "nobody lies", "regular only"] = "attacked"
    penalised: bool = False
    """Whether workers keep models of their own under a penalty and send those; else they send gradients."""


def _rsa(told: Settings) -> Method:
    return rsa(told.penalty, told.rate, told.prior, told.reply, steps=told.steps, bits=told.bits)


def _by(rule: Callable[[int], Aggregate]) -> Callable[[Settings], Method]:
    return lambda told: robust_sgd(rule(told.byzantine), told.rate, told.prior)


REGISTRY: dict[str, Recipe] = {
    "rsa": Recipe(
        "every worker keeps its own model, pulled to the master's by an lp norm (Algorithm 2)", _rsa, penalised=True
    ),
    "ideal-rsa": Recipe(
        "RSA among the regular workers only (eq. diff:x): an oracle", _rsa, "regular only", penalised=True
    ),
    "ideal-sgd": Recipe("SGD in which nobody lies (eq. update:x): an oracle", _by(lambda _: Mean()), "nobody lies"),
    "sgd": Recipe("the mean of the gradients; not robust", _by(lambda _: Mean())),
    "geometric-median": Recipe("the geometric median of the gradients", _by(lambda _: GeometricMedian())),
    "krum": Recipe("the gradient nearest to its neighbours; is told q", _by(lambda q: Krum(byzantine=q))),
    "median": Recipe("the coordinate-wise median of the gradients", _by(lambda _: Median())),
    "trimmed-mean": Recipe(
        "the mean without the q largest and q smallest of each coordinate; is told q",
        _by(lambda q: TrimmedMean(trim=q)),
    ),
}
